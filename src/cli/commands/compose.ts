import { randomBytes } from 'node:crypto';
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { AdministrationError } from '../../errors/administration-error';
import type { SubgraphDefinition } from '../../federation/supergraph/compose-subgraphs';
import { argument, command, flag, given, needed, UsageError, type CliResult, type ValuesOf } from '../command';
import { isHttpUrl } from '../../common/is-url';
import {
  checkNames,
  collectRoutingUrl,
  collectSource,
  createCatalogComposer,
  loadSources,
  parseSource,
  problemsOf,
  type SubgraphSource,
} from '../subgraph-sources';

const defaultCatalogUrl = 'http://127.0.0.1:4000/subgraph';

const options = {
  subgraph: needed('<name=url|file>', "a subgraph's URL or SDL file; can be repeated", collectSource),
  out: needed('<file>', 'output file', String),
  routingUrl: given(
    '<name=url>',
    `URL of a subgraph for routers, if it differs from the URL of its SDL (catalog: ${defaultCatalogUrl}); can be repeated`,
    collectRoutingUrl,
  ),
  noCatalog: flag('exclude the catalog'),
};

export const composeCommand = command({
  name: 'compose',
  summary: 'compose the catalog and other subgraphs into a supergraph',
  details: `Composes the catalog of this version with other teams' subgraphs, using the composer and rules of the service, and writes
a Federation 2 supergraph for \`catalog gateway\` or any other router. The SDL of a subgraph is fetched from its URL, with its
secret from ROUTER_SECRETS, or read from a file. The output file is written atomically. Problems are printed one per line.`,
  examples: [
    'catalog compose --subgraph reviews=http://localhost:4001/graphql \\\n      --out supergraph.graphql',
    'catalog compose --subgraph reviews=reviews.graphql \\\n      --routing-url reviews=http://reviews.internal/graphql \\\n      --routing-url catalog=http://catalog.internal/subgraph --out s.graphql',
  ],
  options,
  json: '{"file", "subgraphs": [{name, url}]}',
  alone: compose,
});

async function compose({
  subgraph: sources,
  routingUrl = [],
  noCatalog,
  out,
}: ValuesOf<typeof options>): Promise<CliResult> {
  const own = noCatalog ? [] : ['catalog'];
  checkNames(sources, own);
  checkNames(routingUrl, [], '--routing-url');
  const routes = new Map(routingUrl.map(({ name, from }) => [name, from]));
  const names = [...sources.map(({ name }) => name), ...own];
  for (const { name } of routingUrl) {
    if (!names.includes(name))
      throw new UsageError(`--routing-url ${name}=…: expected the name of a subgraph (${names.join(', ')})`);
  }
  for (const { name, from } of sources) {
    if (!isHttpUrl(from) && !routes.has(name)) {
      throw new UsageError(
        `--subgraph ${name}=${from}: not an http or https URL, so it is read as a file; also set --routing-url ${name}=…, the URL that routers use for the subgraph`,
      );
    }
  }
  const { loadRouterConfig } = await import('../../config/config.js');
  const loaded = await loadSources(sources, loadRouterConfig());
  const { catalog, composer } = await createComposerOf(!noCatalog, routes.get('catalog') ?? defaultCatalogUrl);
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
    text: `Wrote the supergraph to ${out}: ${subgraphs.map(({ name }) => name).join(', ')}.`,
  };
}

async function createComposerOf(hasCatalog: boolean, catalogUrl: string) {
  if (hasCatalog) {
    const { catalog, composer } = await createCatalogComposer(catalogUrl, false);
    return { catalog: [catalog], composer };
  }
  const { createComposer } = await import('../../federation/catalog/composer.js');
  return { catalog: [], composer: createComposer(undefined, { findsNodes: false }) };
}

/**
 * Writes a temporary file next to the target, then renames it: readers see either the old file or the new one. Renaming
 * would replace a link, or a device such as /dev/null, itself.
 */
async function writeWhole(file: string, text: string): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const beside = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const there = await stat(target).catch(() => undefined);
    if (there?.isFile() === false) return await writeFile(target, text);
    await writeFile(beside, text, { flag: 'wx', flush: true });
    await rename(beside, target);
  } catch (cause) {
    await rm(beside, { force: true });
    const { code = 'unknown reason' } = cause as NodeJS.ErrnoException;
    throw new AdministrationError(
      'COMPOSITION_FAILED',
      `${file}: cannot write the file (${code}); nothing was changed`,
    );
  }
}

/** The service reserves these names. */
const taken = ['catalog', 'nodes'];

export const subgraphCheckCommand = command({
  name: 'subgraph check',
  summary: "check a subgraph's new SDL before deployment",
  details: `Composes the new SDL with the catalog of this version and the other subgraphs, exactly as the service does: if it passes
here, the service accepts it. Also checks that the REST operations remain valid, and that only the catalog resolves its
own part of the graph. Nothing is changed.

The other subgraphs come from the setting SUBGRAPHS, or from --subgraph. Their SDL is fetched from their URLs, with their
secrets from ROUTER_SECRETS, or read from files. Problems are printed one per line.`,
  examples: [
    'SUBGRAPHS=a=http://localhost:4002/ catalog subgraph check b=new.graphql',
    'catalog subgraph check reviews=new.graphql --subgraph stock=stock.graphql',
    'catalog subgraph check reviews=http://localhost:4001/graphql --json',
  ],
  argument: argument('<name=url|file>', 'the subgraph and the URL or file of its new SDL', parseSource),
  options: {
    subgraph: given(
      '<name=url|file>',
      'another subgraph, instead of those in SUBGRAPHS; can be repeated',
      collectSource,
    ),
  },
  json: '{"subgraph", "fits": true, "with": [names], "operations": [operation IDs]}',
  alone: ({ subgraph }, checked) => check(checked, subgraph),
});

async function check(checked: SubgraphSource, subgraph: readonly SubgraphSource[] | undefined): Promise<CliResult> {
  const [{ operations }, { loadRouterConfig }] = await Promise.all([
    import('../../../rest/operations.js'),
    import('../../config/config.js'),
  ]);
  const config = loadRouterConfig();
  const known = subgraph ?? config.subgraphs.map(({ name, url }) => ({ name, from: url }));
  checkNames(known, taken);
  checkNames([checked], taken);
  const others = known.filter(({ name }) => name !== checked.name);
  const [definition, ...rest] = await loadSources([checked, ...others], config);
  const { catalog, composer } = await createCatalogComposer('local://catalog', true);
  const problems = async (subgraphs: readonly SubgraphDefinition[]): Promise<readonly string[]> => {
    try {
      await composer.compose([catalog, ...subgraphs].map((one) => ({ ...one, url: one.url || `file://${one.name}` })));
      return [];
    } catch (thrown) {
      return problemsOf(thrown);
    }
  };
  try {
    const found = await problems([...rest, definition as SubgraphDefinition]);
    if (found.length > 0) {
      const without = rest.length > 0 && (await problems(rest)).length > 0;
      const note = without ? [`The other subgraphs do not compose even without ${checked.name}.`] : [];
      throw new AdministrationError(
        'COMPOSITION_FAILED',
        [`${checked.name} failed the check:`, ...found, ...note].join('\n'),
      );
    }
  } finally {
    composer.stop();
  }
  const names = ['catalog', ...rest.map(({ name }) => name)];
  return {
    json: {
      subgraph: checked.name,
      fits: true,
      with: names,
      operations: operations.map(({ operationId }) => operationId),
    },
    text: `${checked.name} passed the check: it composes with ${names.join(', ')}. All ${operations.length} REST operations are still valid and resolved by the catalog.`,
  };
}
