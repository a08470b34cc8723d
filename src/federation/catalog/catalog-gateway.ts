import type { Config } from '../../config/config';
import { ConfigError } from '../../config/config-error';
import { getOrMake } from '../../common/once';
import type { LocalGraph } from '../../graph/create-graph';
import type { GraphqlContext } from '../../graph/operations';
import { ownerOf } from '../../graph/operations';
import { scalars } from '../../graph/scalars';
import type { Caller } from '../supergraph/scope-requirements';
import { anonymous } from '../supergraph/scope-requirements';
import type { GatewayInterface } from '@apollo/server-gateway-interface';
import { createGateway } from '../gateway/create-gateway';
import { pollSubgraphs } from '../source/poll-subgraphs';
import type { SourceLog, SupergraphSource } from '../source/supergraph-source';
import { watchSupergraphFile } from '../source/watch-supergraph-file';
import type { SubgraphWatcher } from '../transport/observed-executors';
import { routerHeaders } from '../transport/forwarded-headers';
import type { CatalogSubgraph } from './catalog-subgraph';
import { catalogName, nodesName } from './check-catalog-part';
import type { Composer } from './composer';
import { createComposer } from './composer';
import { createCatalogExecutors, createSchemaExecutor } from './local-executors';
import { createNodeTypes, runnableNodes } from './find-nodes';

export interface FederateCatalogOptions {
  readonly config: Config;
  readonly graph: LocalGraph;
  /** Documents that must stay valid, whatever other subgraphs add to the graph. */
  readonly documents: Readonly<Record<string, string>>;
  readonly log: SourceLog;
  readonly onSubgraphAnswered: SubgraphWatcher;
}

/** The catalog and other teams' subgraphs as one graph, for Apollo Server. */
export function createCatalogGateway(catalog: CatalogSubgraph, options: FederateCatalogOptions): GatewayInterface {
  const { config, graph, log, onSubgraphAnswered } = options;
  const subgraph = { name: catalogName, ...createCatalogExecutors(catalog.schema, graph) };
  const typesOf = createNodeTypes(graph);
  return createGateway<GraphqlContext>({
    source: createSource(catalog.sdl, options),
    contexts: {
      headersOf: ({ headers = {} }) => headers,
      cancellationOf: ({ cancellation }) => cancellation,
      callerOf,
      ownerOf,
    },
    log,
    timeoutMilliseconds: config.subgraphTimeoutMs,
    hidesMessages: config.production,
    headersFor: (name) => ({
      headers: routerHeaders(name, config.routerSecrets),
      forwardHeaders: config.subgraphHeaders,
    }),
    onSubgraphAnswered,
    scalars,
    localParts({ document }) {
      const nodes = config.supergraphFile === undefined ? runnableNodes(document, typesOf) : undefined;
      const executor = nodes && createSchemaExecutor(nodes);
      return { subgraph, executorFor: (name) => (name === nodesName ? executor : undefined) };
    },
  });
}

/** Other teams' subgraphs, polled; or a supergraph composed elsewhere, watched. */
function createSource(catalogSdl: string, { config, documents, log }: FederateCatalogOptions): SupergraphSource {
  const { subgraphs, supergraphFile: path } = config;
  const common = { intervalMilliseconds: config.subgraphPollSeconds * 1000, log };
  const rules = { catalogSdl, documents };
  const composer = createComposer(rules);
  if (path !== undefined) {
    return createFileSource(watchSupergraphFile({ ...common, path }), { file: path, composer, log });
  }
  // In its own process: the other composer may be busy with SDL of other teams.
  const localComposer = createComposer(rules);
  const source = pollSubgraphs({
    ...common,
    local: [{ name: catalogName, url: `local://${catalogName}`, sdl: catalogSdl }],
    remotes: subgraphs.map((subgraph) => ({
      ...subgraph,
      timeoutMilliseconds: config.subgraphTimeoutMs,
      headers: routerHeaders(subgraph.name, config.routerSecrets),
    })),
    compose: (all) => composer.compose(all),
    composeLocal: (local) => localComposer.compose(local),
  });
  return {
    start(...given) {
      log.info(`fetching and composing the SDL of ${subgraphs.map(({ name }) => name).join(', ')}`);
      return source.start(...given);
    },
    stop() {
      // A composition in progress is no longer needed.
      for (const one of [composer, localComposer]) one.stop();
      return source.stop();
    },
  };
}

/** Creates a source from a file. If there is nothing to serve at startup, the setting is wrong. */
const createFileSource = (
  source: SupergraphSource,
  { file, composer, log }: { readonly file: string; readonly composer: Composer; readonly log: SourceLog },
): SupergraphSource => ({
  start(offer) {
    log.info(`reading and checking the supergraph in ${file}`);
    return source
      .start(async (sdl) => {
        await composer.check(sdl);
        await offer(sdl);
      })
      .catch((thrown: unknown) => {
        throw new ConfigError(`${file} cannot be used: ${(thrown as Error).message}`, {
          cause: thrown,
        });
      });
  },
  stop: () => source.stop(),
});

const callers = new WeakMap<object, Caller>();

function callerOf({ principal }: GraphqlContext): Caller {
  if (principal === undefined) return anonymous;
  const { scopes } = principal;
  return getOrMake(callers, scopes, () => ({ isAuthenticated: true, scopes: new Set<string>(scopes) }));
}
