import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { AdministrationError } from '../../errors/administration-error';
import type { CliCommand, CliResult } from '../command';
import { addJsonOption } from '../json-option';
import type { SubgraphSource } from '../subgraph-sources';
import { isHttpUrl } from '../option-values';
import { checkNames, collectRoutingUrl, collectSource, loadSources, problemsOf } from '../subgraph-sources';
import { UsageError } from '../usage-error';

interface ComposeOptions {
  readonly subgraph: readonly SubgraphSource[];
  readonly routingUrl?: readonly SubgraphSource[];
  /** false for --no-catalog. */
  readonly catalog: boolean;
  readonly out: string;
}

const defaultCatalogUrl = 'http://127.0.0.1:4000/subgraph';

export const composeCommand: CliCommand = {
  name: 'compose',
  summary: 'make the supergraph of the catalog and other subgraphs',
  details: `Composes the catalog of this version with other teams' subgraphs, by the composer that the service uses and under the same
rules, and writes a Federation 2 supergraph for \`catalog gateway\` or any other router. The SDL of a subgraph is fetched from its URL,
with its secret of ROUTER_SECRETS, or read from a file. The file is written completely or not at all. Problems are printed one per line.`,
  examples: [
    'catalog compose --subgraph reviews=http://localhost:4001/graphql \\\n      --out supergraph.graphql',
    'catalog compose --subgraph reviews=reviews.graphql \\\n      --routing-url reviews=http://reviews.internal/graphql \\\n      --routing-url catalog=http://catalog.internal/subgraph --out s.graphql',
  ],
  define(command, _perform, performAlone) {
    command
      .requiredOption('--subgraph <name=url|file>', "a subgraph's address or SDL; may be repeated", collectSource)
      .requiredOption('--out <file>', 'the file to write')
      .option(
        '--routing-url <name=url>',
        `where a router finds a subgraph, if not where its SDL comes from (catalog: ${defaultCatalogUrl}); may be repeated`,
        collectRoutingUrl,
      )
      .option('--no-catalog', 'leave the catalog out');
    addJsonOption(command, '{"file", "subgraphs": [{name, url}]}').action((options: ComposeOptions) =>
      performAlone(() => compose(options)),
    );
  },
};

async function compose({
  subgraph: sources,
  routingUrl = [],
  catalog: hasCatalog,
  out,
}: ComposeOptions): Promise<CliResult> {
  checkNames(sources, hasCatalog ? ['catalog'] : []);
  const routes = new Map(routingUrl.map(({ name, from }) => [name, from]));
  const names = new Set([...sources.map(({ name }) => name), ...(hasCatalog ? ['catalog'] : [])]);
  for (const name of routes.keys()) {
    if (!names.has(name))
      throw new UsageError(
        `--routing-url ${name}=…: expected the name of one of the subgraphs (${[...names].join(', ')})`,
      );
  }
  for (const { name, from } of sources) {
    if (!isHttpUrl(from) && !routes.has(name)) {
      throw new UsageError(
        `--subgraph ${name}=${from} is a file: expected --routing-url ${name}=… as well, the URL that routers use for the subgraph`,
      );
    }
  }
  const { loadRouterConfig } = await import('../../config/config.js');
  const loaded = await loadSources(sources, loadRouterConfig());
  const { catalog, composer } = await createComposerOf(hasCatalog, routes.get('catalog') ?? defaultCatalogUrl);
  const subgraphs = [...catalog, ...loaded.map((one) => ({ ...one, url: routes.get(one.name) ?? one.url }))];
  let supergraph: string;
  try {
    supergraph = await composer.compose(subgraphs);
  } catch (thrown) {
    throw new AdministrationError(
      'COMPOSITION_FAILED',
      ['The subgraphs do not compose:', ...problemsOf(thrown)].join('\n'),
    );
  } finally {
    composer.stop();
  }
  await writeWhole(out, supergraph);
  return {
    json: { file: out, subgraphs: subgraphs.map(({ name, url }) => ({ name, url })) },
    text: `Wrote ${out}: the supergraph of ${subgraphs.map(({ name }) => name).join(', ')}.`,
  };
}

async function createComposerOf(hasCatalog: boolean, catalogUrl: string) {
  if (hasCatalog) {
    const { createCatalogComposer } = await import('../catalog-composer.js');
    const { catalog, composer } = await createCatalogComposer(catalogUrl, false);
    return { catalog: [catalog], composer };
  }
  const { createComposer } = await import('../../federation/catalog/composer.js');
  return { catalog: [], composer: createComposer(undefined, { findsNodes: false }) };
}

/** Written beside the target first, then renamed: a reader of the file finds the old one or the new one. */
async function writeWhole(file: string, text: string): Promise<void> {
  const beside = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(beside, 'wx');
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, file);
  } catch (cause) {
    await rm(beside, { force: true });
    const { code = 'unknown reason' } = cause as NodeJS.ErrnoException;
    throw new AdministrationError('COMPOSITION_FAILED', `${file}: cannot be written (${code}); nothing was changed`);
  }
}
