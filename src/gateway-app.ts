import type { RequestHandler, Response } from 'express';
import type { Config } from './config/config';
import type { ApiError } from './errors/api-error';
import type { Caller } from './federation/supergraph/scope-requirements';
import { anonymous } from './federation/supergraph/scope-requirements';
import { createGateway } from './federation/gateway/create-gateway';
import type { ReadCaller } from './federation/gateway/bearer-callers';
import type { SupergraphSource } from './federation/source/supergraph-source';
import { defaultForwardedHeaders, routerHeaders } from './federation/transport/forwarded-headers';
import { createGraphqlServer } from './graph/graphql-server';
import type { LimitSettings } from './graph/limits/limits';
import { loadTrustedDocuments } from './graph/limits/trusted-documents';
import { limitRate } from './http/access/access-steps';
import { createHttpApp } from './http/create-http-app';
import {
  mountGraphql,
  createGraphqlHandler,
  createOperationContext,
  createOperationSlots,
} from './http/endpoints/graphql/graphql-handler';
import { authorizationValues } from './http/request/request';
import { routes } from './http/routes';
import { createDraining } from './http/server/connections';
import type { App } from './http/server/open-server';
import { openServer } from './http/server/open-server';
import type { Log } from './observability/log';
import { toLineLog } from './observability/log';
import { createMetrics } from './observability/metrics';
import type { RateLimitStore } from './rate-limit/open-rate-limiter';
import { openRateLimiter } from './rate-limit/open-rate-limiter';
import type { RateLimiter } from './rate-limit/rate-limiter';
import { countDecisions, noRateLimit } from './rate-limit/rate-limiter';

/** The limits that apply to any graph: the cost of fields depends on the subgraphs. */
export type GatewayLimits = Omit<LimitSettings, 'maxCost'> & {
  /** Maximum number of tokens of a document. */
  readonly maxTokens?: number;
};

export interface GatewayAppParts {
  readonly source: SupergraphSource;
  readonly log: Log;
  /** Limits of operations that differ from `gatewayLimits`. */
  readonly limits: GatewayLimits;
  /** undefined: every caller is anonymous. */
  readonly readCaller: ReadCaller | undefined;
  /** Client headers that are forwarded to a subgraph besides the usual ones and those of the settings. */
  readonly forwardedTo: (subgraph: string) => readonly string[];
  readonly introspection: boolean;
  /** Whether addresses are limited to RATE_LIMIT_REQUESTS per minute. */
  readonly limitsRate: boolean;
  /** For one request to a subgraph. Default: five seconds. */
  readonly subgraphTimeoutMilliseconds: number | undefined;
  /** The rate limiter without Redis. Unset: in the memory of this process. */
  readonly localRateLimiter?: RateLimiter | undefined;
}

/**
 * Higher than the catalog's own where ordinary operations of other graphs need more. A field may be nested in itself,
 * as in a tree of categories; the depth bounds that.
 */
const gatewayLimits: GatewayLimits = {
  maxRootFields: 100,
  maxAliases: 500,
  maxVariables: 200,
  maxRecursion: Infinity,
};

const defaultSubgraphMilliseconds = 5000;

/** The context of an operation, with the caller that its bearer token identifies. */
type GatewayContext = ReturnType<typeof createOperationContext> & { readonly caller: Caller };

/** Clients are not identified here, so they have one common share of every cache. */
const anyone = '';

/**
 * A gateway over any subgraphs, without a catalog: the server of `catalog serve` with another graph. Any caller that
 * reaches the port sees what the supergraph does not protect, and with a token what its scopes allow.
 */
export async function createGatewayApp(config: Config, parts: GatewayAppParts): Promise<App> {
  const { source, log, limits, readCaller, forwardedTo, introspection, limitsRate } = parts;
  const { subgraphTimeoutMilliseconds: timeoutMilliseconds } = parts;
  const metrics = createMetrics();
  const gateway = createGateway<GatewayContext>({
    source,
    contexts: {
      headersOf: ({ headers }) => headers,
      cancellationOf: ({ cancellation }) => cancellation,
      callerOf: ({ caller }) => caller,
      ownerOf: () => anyone,
    },
    log: toLineLog(log),
    timeoutMilliseconds,
    hidesMessages: config.production,
    headersFor: (name) => ({
      headers: routerHeaders(name, config.routerSecrets),
      forwardHeaders: [...defaultForwardedHeaders, ...config.subgraphHeaders, ...forwardedTo(name)],
    }),
    onSubgraphAnswered: metrics.subgraphAnswered,
    scalars: {},
    localParts: undefined,
  });
  const { maxTokens, ...settings } = { ...gatewayLimits, ...limits };
  const graphql = createGraphqlServer({
    gateway,
    production: config.production,
    limits: { ...settings, maxCost: Infinity },
    maxTokens,
    introspection,
    onInternalError: (error, requestId) => log.error({ requestId, err: error.cause }, 'failed to resolve a field'),
    onPriced: undefined,
  });
  await graphql.start();

  const rateLimitStore: RateLimitStore = limitsRate
    ? openRateLimiter(config, log, parts.localRateLimiter)
    : noRateLimit;
  const rateLimiter = limitsRate ? countDecisions(rateLimitStore, metrics.rateLimitDecided) : rateLimitStore;
  metrics.measure({ isRateLimitStoreDegraded: () => rateLimitStore.isDegraded?.() ?? false });
  const draining = createDraining();
  const own = {
    health: () => Promise.resolve({ ready: !draining.isOn, checks: { supergraph: true, draining: draining.isOn } }),
    challengeOf: ({ credentialFault }: ApiError) => ({ 'WWW-Authenticate': toChallenge(credentialFault) }),
    whereToLook: `Send operations to POST ${routes.graphql.path}.`,
    subgraphTimeoutMilliseconds: timeoutMilliseconds ?? defaultSubgraphMilliseconds,
  };
  const callers = new WeakMap<Response, Caller>();
  const authenticate: RequestHandler = async (request, response, next) => {
    if (readCaller !== undefined) callers.set(response, await readCaller(authorizationValues(request)));
    next();
  };
  const endpoint = {
    access: [limitRate({ rateLimiter }), authenticate],
    waitForSlot: createOperationSlots(turns),
    middleware: createGraphqlHandler(
      graphql,
      loadTrustedDocuments(config, []),
      (request, response): GatewayContext => ({
        ...createOperationContext(request, response),
        caller: callers.get(response) ?? anonymous,
      }),
    ),
  };
  return openServer({
    config,
    log,
    metrics,
    rateLimiter,
    rateLimitStore,
    draining,
    namesOfAddress: { host: '--host', port: '--port' },
    createHandler(_, common) {
      return createHttpApp({ ...common, ...own }, { routers: [mountGraphql(endpoint)] });
    },
    async stop() {
      await graphql.stop();
      rateLimitStore.close?.();
    },
  });
}

/** Generous: operations mostly wait for subgraphs, and callers are not distinguished. */
const turns = { slots: 1000, slotsPerQueue: 1000 };

const toChallenge = (fault: { readonly error: string; readonly description?: string } | undefined): string =>
  fault?.description === undefined
    ? 'Bearer'
    : `Bearer error="${fault.error}", error_description="${fault.description}"`;
