import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import type { RouterConfig } from '../config/config';
import { AdministrationError } from '../errors/administration-error';
import type { SubgraphDefinition } from '../federation/supergraph/compose-subgraphs';
import { UsageError } from './command';
import { isHttpUrl } from '../common/is-url';

/** The source of a subgraph's SDL on the command line: `name=url` or `name=file`. */
export interface SubgraphSource {
  readonly name: string;
  readonly from: string;
}

const shape = /^([a-z][a-z0-9_-]{0,63})=(.+)$/;

export const parseSource = (text: string): SubgraphSource => parsePair(text, 'name=url or name=file');

function parsePair(text: string, expected: string): SubgraphSource {
  const [, name, from] = shape.exec(text) ?? [];
  if (name === undefined || from === undefined) {
    throw new InvalidArgumentError(
      `Expected ${expected}, such as reviews=http://reviews.internal/graphql. Names have up to 64 lowercase letters, digits, - and _, and start with a letter.`,
    );
  }
  return { name, from };
}

export const collectSource = (text: string, before: readonly SubgraphSource[] = []): readonly SubgraphSource[] => [
  ...before,
  parseSource(text),
];

/** The URLs in the supergraph that replace those from which the SDL was fetched. */
export function collectRoutingUrl(text: string, before: readonly SubgraphSource[] = []): readonly SubgraphSource[] {
  const source = parsePair(text, 'name=url');
  if (!isHttpUrl(source.from)) throw new InvalidArgumentError('Expected name=url with an http or https URL.');
  return [...before, source];
}

/** @throws UsageError for a name that is repeated or reserved. */
export function checkNames(sources: readonly SubgraphSource[], taken: readonly string[], option = '--subgraph'): void {
  const seen = new Set<string>();
  for (const { name } of sources) {
    if (taken.includes(name)) throw new UsageError(`the subgraph name ${name} is reserved; choose another`);
    if (seen.has(name)) throw new UsageError(`${option} ${name}=… appears twice; expected each name once`);
    seen.add(name);
  }
}

/**
 * Fetches the SDL of subgraphs, or reads it from files.
 * @throws AdministrationError with a line for each that has none.
 */
export async function loadSources(
  sources: readonly SubgraphSource[],
  { routerSecrets, subgraphTimeoutMs: timeoutMilliseconds }: RouterConfig,
): Promise<readonly SubgraphDefinition[]> {
  const { loadSubgraphSdl } = await import('../federation/source/load-subgraph-sdl.js');
  const { routerHeaders } = await import('../federation/transport/forwarded-headers.js');
  const load = ({ name, from }: SubgraphSource): Promise<string> =>
    isHttpUrl(from)
      ? loadSubgraphSdl({ name, url: from, headers: routerHeaders(name, routerSecrets), timeoutMilliseconds })
      : readFile(from, 'utf8');
  const results = await Promise.allSettled(sources.map(load));
  const problems = results.flatMap((result, index) =>
    result.status === 'rejected'
      ? [
          `[${sources[index]?.name}] ${sources[index]?.from.replace(urlParts, '$1$2')}: ${describeReadFailure(result.reason)}`,
        ]
      : [],
  );
  if (problems.length > 0) throw new AdministrationError('COMPOSITION_FAILED', problems.join('\n'));
  return results.map((result, index) => {
    const { name, from } = sources[index] as SubgraphSource;
    return { name, url: isHttpUrl(from) ? from : '', sdl: (result as PromiseFulfilledResult<string>).value };
  });
}

/** A URL: its scheme, and its host and path. User name, password and query, which are not shown, may be credentials. */
const urlParts = /^(https?:[/\\]+)(?:[^/\\?#]*@)?([^?#]*).*/i;

function describeReadFailure(thrown: unknown): string {
  const { code, message } = thrown as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'no such file; URLs start with http:// or https://';
  if (code === 'EISDIR') return 'expected a file, got a directory';
  return message;
}

/** The problems of a failed composition: a line for each, without the heading. */
export function problemsOf(thrown: unknown): readonly string[] {
  const lines = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n').map((line) => line.trim());
  const problems = lines.filter((line) => line !== '' && line !== 'The subgraphs do not compose:');
  return problems.flatMap((line) => {
    const [, heading, list] =
      /^(operations of the REST API would break|the catalog's part of the graph would change): (.*)$/.exec(line) ?? [];
    return heading === undefined || list === undefined
      ? [line]
      : list.split('; ').map((item) => (/^and \d+ more$/.test(item) ? item : `${heading}: ${item}`));
  });
}

/**
 * The catalog of this version as a subgraph, and the composer of the service, with its limits and its rules about the
 * catalog's part.
 * @param findsNodes as in the service, which finds nodes across subgraphs; no other router can.
 */
export async function createCatalogComposer(url: string, findsNodes: boolean) {
  const [{ readOperationDocuments }, { createCatalogSubgraph }, { createComposer }] = await Promise.all([
    import('../../rest/operations.js'),
    import('../federation/catalog/catalog-subgraph.js'),
    import('../federation/catalog/composer.js'),
  ]);
  const { sdl } = createCatalogSubgraph();
  return {
    catalog: { name: 'catalog', url, sdl },
    composer: createComposer({ catalogSdl: sdl, documents: readOperationDocuments() }, { findsNodes }),
  };
}
