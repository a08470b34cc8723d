import { createAuthenticator, createKeyGate, createKeyReader } from './auth/authenticator';
import { loadCursorSecrets } from './auth/development-secrets';
import { UsageCounter } from './auth/usage-counter';
import { bearerChallenge, authorizationServerMetadata, protectedResourceMetadata, publicKeySet } from './auth/metadata';
import { createTokenEndpoint } from './auth/oauth/token-endpoint';
import { loadSigningKeys } from './auth/signing-keys';
import { readBuildDigest } from './common/build-digest';
import { ChangeWatch, readVersionsOf } from './catalog/change/change-watch';
import { startExport } from './catalog/export/export-csv';
import type { Clock } from './common/clock';
import type { Config } from './config/config';
import { ConfigError } from './config/config-error';
import type { Database } from './database/database';
import { openReplicatedDatabase } from './database/replicated-database';
import { findDemoProduct } from './demo/demo-product';
import type { ApiError } from './errors/api-error';
import { createDatabaseProbe } from './database/probe-database';
import { isFederated, loadFederation } from './federation/load-federation';
import type { LocalGraph } from './graph/create-graph';
import { createGraph } from './graph/create-graph';
import { createGraphqlServer, createLocalGateway } from './graph/graphql-server';
import { subgraphLimits } from './graph/limits/limit-options';
import { loadTrustedDocuments, readNamedDocuments } from './graph/limits/trusted-documents';
import { catalogSurfaces } from './http/catalog-surfaces';
import { createHttpApp } from './http/create-http-app';
import { createDraining } from './http/server/connections';
import { readViewDocuments } from './http/endpoints/dashboard/views';
import {
  createGraphqlHandler,
  createPublicGraphqlCheck,
  createOperationSlots,
} from './http/endpoints/graphql/graphql-handler';
import type { HttpDependencies } from './http/http-dependencies';
import { createCostReport } from './http/request/request';
import { resourcePathOf, resourcePaths, routes } from './http/routes';
import type { App, ServerCore } from './http/server/open-server';
import { openServer } from './http/server/open-server';
import { readVersion } from './common/project-root';
import { pathPrefixOf } from './common/public-url';
import type { Log } from './observability/log';
import { failureFields, toLineLog } from './observability/log';
import type { Metrics, ReplicaOutcome } from './observability/metrics';
import { createMetrics } from './observability/metrics';
import { stringify } from './catalog/passthrough';
import { createReadiness } from './observability/readiness';
import type { RateLimiter } from './rate-limit/rate-limiter';
import { openRateLimiter } from './rate-limit/open-rate-limiter';
import { countDecisions, watchSpentBuckets } from './rate-limit/rate-limiter';
import { createCursorCodec } from './relay/connection';
import { readOpenApiDocument } from '../rest/openapi-document';
import { readOperationDocuments } from '../rest/operations';

/** Dependencies that the process provides besides the configuration. */
interface AppParts {
  readonly database: Database;
  readonly log: Log;
  readonly clock?: Clock;
  /** The demo shop's key, for the explorer pages. */
  readonly demoApiKey?: string | undefined;
  /** The rate limiter used without Redis. Unset: in the memory of this process. */
  readonly localRateLimiter?: RateLimiter;
}

/** Builds every dependency once. The only module that sees all of them. */
export async function createApp(
  config: Config,
  { database: primary, log, clock = Date.now, demoApiKey, localRateLimiter }: AppParts,
): Promise<App> {
  const signingKeys = await loadSigningKeys(config);
  const cursorSecrets = await loadCursorSecrets(config);
  const metrics = createMetrics();

  const database = openReplicas(config, primary, log, metrics.replicaQueried);
  database.watchStatements(metrics.statementEnded);

  const counter = config.keyUsage
    ? new UsageCounter({
        database,
        clock,
        onError: (error) => {
          metrics.usageLost();
          log.warn({ err: error }, 'failed to write API key usage; it will be included in the next write');
        },
      })
    : undefined;
  const cursors = createCursorCodec(cursorSecrets as [string, ...string[]]);
  const graph = createGraph({
    database,
    cursorSecrets: cursorSecrets as [string, ...string[]],
    build: readBuildDigest(),
    onAnswer: metrics.answerMade,
  });
  const graphql = createGraphqlServers(config, { graph, log, metrics, counter });
  const exampleProductId = demoApiKey === undefined ? undefined : await findDemoProduct(database);
  await graphql.start().catch(async (failure: unknown) => {
    await database.closeReplicas();
    throw failure;
  });

  // Opened after that: its Redis connection would keep the process running after a failed start.
  const rateLimitStore = openRateLimiter(config, log, localRateLimiter);
  const { rateLimiter, isSpent } = watchSpentBuckets(countDecisions(rateLimitStore, metrics.rateLimitDecided));

  const keys = createKeyGate({
    readKey: createKeyReader(database),
    readSuspectKey: createKeyReader(database, 1),
    isSpent,
  });

  metrics.measure({
    poolConnections: () => database.countConnections(),
    replicasInUse: database.replicasInUse,
    answerCacheBytes: () => graph.countCachedBytes(),
    isRateLimitStoreDegraded: () => rateLimitStore.isDegraded?.() ?? false,
  });
  const draining = createDraining();
  const health = createReadiness({
    probeDatabase: createDatabaseProbe(database),
    isRateLimitStoreDegraded: rateLimitStore.isDegraded,
    isDraining: () => draining.isOn,
  });
  const createDependencies = (publicUrl: string, core: ServerCore): HttpDependencies => ({
    ...core,
    publicUrl,
    authenticator: createAuthenticator({ keys, signingKeys, publicUrl, clock, noteUse: counter?.noteUse }),
    graph,
    tokenEndpoint: createTokenEndpoint({
      keys,
      signingKeys,
      rateLimiter,
      publicUrl,
      resources: ['', ...resourcePaths].map((path) => `${publicUrl}${path}`),
      clock,
      noteUse: counter?.noteUse,
      onError: (error, requestId) => log.error({ requestId, err: error }, 'unexpected error in the token endpoint'),
    }),
    wellKnownDocuments: {
      'oauth-authorization-server': authorizationServerMetadata(publicUrl),
      ...Object.fromEntries(
        ['', ...resourcePaths].map((path) => [
          `oauth-protected-resource${path}`,
          protectedResourceMetadata(publicUrl, path),
        ]),
      ),
      'jwks.json': publicKeySet(signingKeys),
    },
    openApiDocument: readOpenApiDocument({ publicUrl, environment: config.nodeEnv, exampleProductId }),
    graphqlMiddleware: createGraphqlHandler(
      graphql.server,
      loadTrustedDocuments(config, config.referencePages ? readViewDocuments() : []),
    ),
    subgraph:
      graphql.subgraphServer === undefined
        ? undefined
        : {
            middleware: createGraphqlHandler(graphql.subgraphServer),
            secret: config.subgraphSecret as string,
          },
    exports:
      config.maxExports === 0
        ? undefined
        : {
            maximum: config.maxExports,
            onStarted: metrics.exportStarted,
            start: (call, shape) => startExport({ ...call, url: primary.url, cursors }, shape),
          },
    mcp: config.mcp
      ? {
          version: readVersion(),
          documents: readNamedDocuments(config),
          runDocument: async (contextValue, query, variables) => {
            const { body } = await graphql.server.executeOperation({ query, variables }, { contextValue });
            return JSON.parse(stringify(body.kind === 'single' ? body.singleResult : {})) as object;
          },
        }
      : undefined,
    changes:
      config.maxWaitingClients === 0
        ? undefined
        : {
            watch: new ChangeWatch({
              readVersions: readVersionsOf(database),
              onError: (error) => log.warn(failureFields(error), 'failed to check for changes for waiting clients'),
            }),
            maximum: config.maxWaitingClients,
            closing: draining.closing.signal,
            onWaiting: metrics.changesAwaited,
            onFurtherPage: (principal) => counter?.countRequest(principal, { status: 200, bytes: 0 }),
          },
    maximumTemporaryBytes: config.maxTemporaryMb * 1_000_000,
    waitForSlot: createOperationSlots(),
    isPublicGraphqlRequest: createPublicGraphqlCheck(config.production),
    challengeOf: ({ credentialFault }, target) => ({
      'WWW-Authenticate': bearerChallenge(`${publicUrl}${resourcePathOf(target)}`, credentialFault),
    }),
    whereToLook: toWhereToLook(publicUrl, config),
    ...(config.production ? {} : { explorer: { demoApiKey } }),
    ...(config.referencePages ? { reference: { demoApiKey: config.production ? undefined : demoApiKey } } : {}),
    health,
    subgraphTimeoutMilliseconds: graphql.queriesSubgraphs ? config.subgraphTimeoutMs : undefined,
  });

  return openServer({
    config,
    log,
    metrics,
    usage: counter,
    rateLimiter,
    rateLimitStore,
    draining,
    createHandler(publicUrl, core) {
      const dependencies = createDependencies(publicUrl, core);
      return createHttpApp(dependencies, catalogSurfaces(dependencies));
    },
    async stop() {
      await graphql.stop();
      await counter?.close();
      rateLimitStore.close?.();
      await database.closeReplicas();
    },
  });
}

function createGraphqlServers(
  config: Config,
  {
    graph,
    log,
    metrics,
    counter,
  }: {
    graph: LocalGraph;
    log: Log;
    metrics: Metrics;
    counter: UsageCounter | undefined;
  },
) {
  const federated = isFederated(config)
    ? loadFederation().federateCatalog({
        config,
        graph,
        documents: readOperationDocuments(),
        log: toLineLog(log),
        onSubgraphAnswered: metrics.subgraphAnswered,
      })
    : undefined;
  const options = {
    production: config.production,
    onInternalError: (error: ApiError, requestId: string | undefined) =>
      log.error({ requestId, err: error.cause }, 'failed to resolve a field'),
    onPriced: createCostReport(metrics, counter),
  };
  const { schema, toOperation, executeCached } = graph;
  const gateway = federated?.gateway ?? createLocalGateway({ schema, toOperation, execute: executeCached });
  const server = createGraphqlServer({ ...options, gateway });
  const subgraphServer =
    federated?.subgraph && createGraphqlServer({ ...options, gateway: federated.subgraph, limits: subgraphLimits });
  return {
    /** Serves /graphql: the graph, or the gateway over it and other subgraphs. */
    server,
    /** Serves external routers; only with SUBGRAPH_SECRET. */
    subgraphServer,
    /** Whether operations may wait for other teams' services. */
    queriesSubgraphs: federated?.gateway !== undefined,
    async start() {
      await server.start().catch((cause: unknown) => {
        // Only a supergraph file can fail at startup: unavailable subgraphs join later.
        if (config.supergraphFile === undefined) throw cause;
        throw new ConfigError(`SUPERGRAPH_FILE: ${(cause as Error).message}`, { cause });
      });
      await subgraphServer?.start();
    },
    async stop() {
      await server.stop();
      await subgraphServer?.stop();
    },
  };
}

function toWhereToLook(publicUrl: string, { production, referencePages }: Config): string {
  const prefix = pathPrefixOf(publicUrl);
  const pages = production || !referencePages ? '' : `, or try the API at ${prefix}${routes.explorer.path}`;
  return `See ${prefix}${routes.openApi.path}${pages}.`;
}

const openReplicas = (
  { databaseReplicaUrls, databaseReplicaTimeoutMs, databasePoolSize }: Config,
  primary: Database,
  log: Log,
  onAsked: (replica: number, outcome: ReplicaOutcome) => void,
) =>
  openReplicatedDatabase({
    primary,
    urls: databaseReplicaUrls,
    poolSize: databasePoolSize,
    timeoutMilliseconds: databaseReplicaTimeoutMs,
    onAsked,
    onError: (error) => log.warn(failureFields(error), 'replica connection failed'),
    onLost: (replica, error) =>
      log.warn({ replica, ...failureFields(error) }, 'replica is not responding; other servers take its reads'),
    onFound: (replica) => log.info({ replica }, 'replica is responding again'),
  });
