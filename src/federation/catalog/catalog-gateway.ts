import { ConfigError } from '../../config/config-error';
import type { LocalGraph } from '../../graph/create-graph';
import type { GraphqlContext } from '../../graph/graphql-context';
import { ownerOf } from '../../graph/operations';
import { scalars } from '../../graph/scalars/scalars';
import type { Caller } from '../supergraph/scope-requirements';
import { anonymous } from '../supergraph/scope-requirements';
import type { ApolloGateway } from '../gateway/apollo-gateway';
import { createGateway } from '../gateway/create-gateway';
import { pollSubgraphs } from '../source/poll-subgraphs';
import type { SourceLog, SupergraphSource } from '../source/supergraph-source';
import { watchSupergraphFile } from '../source/watch-supergraph-file';
import type { Timer } from '../../common/timer';
import type { SubgraphWatcher } from '../transport/observed-executors';
import { routerHeaders } from '../transport/router-secret';
import type { CatalogSubgraph } from './catalog-subgraph';
import { catalogName, nodesName } from './check-catalog-part';
import type { Composer } from './composer';
import { createComposer } from './composer';
import { createCatalogExecutors, createSchemaExecutor } from './local-executors';
import { createNodeTypes, runnableNodes } from './find-nodes';

export interface CatalogGatewayOptions {
  readonly graph: LocalGraph;
  readonly catalog: CatalogSubgraph;
  /** Other teams' subgraphs, polled; or a supergraph composed elsewhere, watched. */
  readonly from:
    { readonly subgraphs: readonly { readonly name: string; readonly url: string }[] } | { readonly file: string };
  readonly pollMilliseconds: number;
  readonly timeoutMilliseconds: number;
  /** Client headers that are forwarded to subgraphs. */
  readonly forwardedHeaders: readonly string[];
  /** The secrets that subgraphs accept, by subgraph name. */
  readonly routerSecrets: Readonly<Record<string, string>>;
  /** Documents that must stay valid, whatever other subgraphs add to the graph. */
  readonly documents: Readonly<Record<string, string>>;
  readonly production: boolean;
  readonly log: SourceLog;
  readonly timer: Timer | undefined;
  readonly onSubgraphAnswered: SubgraphWatcher;
}

/** The catalog and other teams' subgraphs as one graph, for Apollo Server. */
export function createCatalogGateway(options: CatalogGatewayOptions): ApolloGateway {
  const { graph, catalog } = options;
  const subgraph = { name: catalogName, ...createCatalogExecutors(catalog.schema, graph) };
  const typesOf = createNodeTypes(graph);
  return createGateway<GraphqlContext>({
    source: createSource(options),
    contexts: {
      headersOf: ({ headers = {} }) => headers,
      cancellationOf: ({ cancellation }) => cancellation,
      callerOf,
      ownerOf,
    },
    log: options.log,
    timer: options.timer,
    timeoutMilliseconds: options.timeoutMilliseconds,
    hidesMessages: options.production,
    headersFor: (name) => ({
      headers: routerHeaders(name, options.routerSecrets),
      forwardHeaders: options.forwardedHeaders,
    }),
    onSubgraphAnswered: options.onSubgraphAnswered,
    scalars,
    localParts({ document }) {
      const nodeSchema = 'file' in options.from ? undefined : runnableNodes(document, typesOf);
      return {
        subgraph,
        executorFor: (name) =>
          name === nodesName && nodeSchema !== undefined ? createSchemaExecutor(nodeSchema) : undefined,
      };
    },
  });
}

function createSource({
  from,
  catalog,
  documents,
  pollMilliseconds,
  timeoutMilliseconds,
  log,
  timer,
  routerSecrets,
}: CatalogGatewayOptions): SupergraphSource {
  const common = { intervalMilliseconds: pollMilliseconds, log, timer };
  const rules = { catalogSdl: catalog.sdl, documents };
  const composer = createComposer(rules);
  if ('file' in from) {
    return createFileSource(watchSupergraphFile({ ...common, path: from.file }), { file: from.file, composer, log });
  }
  // In a separate process: the other may be busy with SDL of other teams.
  const localComposer = createComposer(rules);
  const source = pollSubgraphs({
    ...common,
    local: [{ name: catalogName, url: `local://${catalogName}`, sdl: catalog.sdl }],
    remotes: from.subgraphs.map((subgraph) => ({
      ...subgraph,
      timeoutMilliseconds,
      headers: routerHeaders(subgraph.name, routerSecrets),
    })),
    compose: (subgraphs) => composer.compose(subgraphs),
    composeLocal: (subgraphs) => localComposer.compose(subgraphs),
  });
  return {
    start(offer) {
      log.info(`waiting for the SDL of ${from.subgraphs.map(({ name }) => name).join(', ')}, and composing it`);
      return source.start(offer);
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
  { file, composer, log }: Pick<CatalogGatewayOptions, 'log'> & { readonly file: string; readonly composer: Composer },
): SupergraphSource => ({
  start(offer) {
    log.info(`reading the supergraph of ${file}, and checking it`);
    return source
      .start(async (sdl) => {
        await composer.check(sdl);
        await offer(sdl);
      })
      .catch((thrown: unknown) => {
        throw new ConfigError(`SUPERGRAPH_FILE: ${file} cannot be used: ${(thrown as Error).message}`, {
          cause: thrown,
        });
      });
  },
  stop: () => source.stop(),
});

const callers = new WeakMap<object, Caller>();

function callerOf({ principal }: GraphqlContext): Caller {
  if (principal === undefined) return anonymous;
  const known = callers.get(principal.scopes);
  if (known !== undefined) return known;
  const caller = { isAuthenticated: true, scopes: new Set<string>(principal.scopes) };
  callers.set(principal.scopes, caller);
  return caller;
}
