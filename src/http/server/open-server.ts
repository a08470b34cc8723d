import cluster from 'node:cluster';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import type { UsageCounter } from '../../auth/usage-counter';
import { pathPrefixOf } from '../../common/public-url';
import type { Config } from '../../config/config';
import type { Log } from '../../observability/log';
import type { Metrics } from '../../observability/metrics';
import type { RateLimitStore } from '../../rate-limit/open-rate-limiter';
import type { RateLimiter } from '../../rate-limit/rate-limiter';
import type { HttpCore } from '../http-dependencies';
import { createRequestReport } from '../request/request';
import type { Draining } from './connections';
import { createHttpServer } from './create-http-server';
import type { AddressNames } from '../../errors/listen-error';
import { listen } from './listen';
import { createServer } from 'node:http';
import { createConnections } from './connections';
import { toJson } from '../response/handle-errors';
import type { ConnectionLimits } from './guard-connections';
import { guardConnections } from './guard-connections';
import { findRoute, routes } from '../routes';

interface ServerParts {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Counts the requests of keys. */
  readonly usage?: UsageCounter | undefined;
  readonly rateLimiter: RateLimiter;
  readonly rateLimitStore: RateLimitStore;
  readonly draining: Draining;
  /** The names of the address's settings, for the message that it is not available. Default: HOST and PORT. */
  readonly namesOfAddress?: AddressNames;
  /** Called when the port is bound, because links contain it. `core` follows from the settings. */
  createHandler(publicUrl: string, core: ServerCore): RequestListener;
  /** Closes what the handler uses. */
  stop(): Promise<void>;
}

export type ServerCore = Pick<
  HttpCore,
  | 'rateLimiter'
  | 'metrics'
  | 'log'
  | 'onRequestEnded'
  | 'showsTimings'
  | 'trustedProxies'
  | 'requestTimeoutMilliseconds'
>;

export interface App {
  readonly server: Server;
  /** Starts accepting requests. @returns PUBLIC_URL, or the origin with the port. */
  listen(): Promise<string>;
  /**
   * Reports that it is not ready, keeps serving for the drain delay, then finishes the requests in flight, at most for
   * the given time, and closes everything but the database.
   */
  close(deadlineMilliseconds?: number, drainDelayMilliseconds?: number): Promise<void>;
}

const redisConnectMilliseconds = 1000;

/** The server of a process for clients, and the one for its metrics. */
export function openServer({
  config,
  log,
  metrics,
  usage,
  rateLimiter,
  rateLimitStore,
  draining,
  namesOfAddress,
  createHandler,
  stop,
}: ServerParts): App {
  // The next major garbage collection comes when the heap is half as large again as after the last one, not four times
  // as large: 50 to 60 MB less under load, for about a tenth of the CPU time of GraphQL pages. Requires a young
  // generation of 16 MB, as on Node 20 and 22: with the default of Node 24, almost every collection would be major.
  setFlagsFromString('--heap-growing-percent=50');
  const onRequestEnded = createRequestReport(log, metrics, usage);
  const core: ServerCore = {
    rateLimiter,
    ...(config.metricsOnApiPort ? { metrics } : {}),
    log,
    onRequestEnded,
    showsTimings: !config.production,
    trustedProxies: config.trustProxy,
    requestTimeoutMilliseconds: config.requestTimeoutMs,
  };
  const { server, serve, drain } = createHttpServer({
    rateLimiter,
    draining,
    pathPrefix: pathPrefixOf(config.publicUrl),
    onRequestEnded,
    maximumConnections: config.maxConnections,
    onConnectionLost: metrics.connectionLost,
  });
  // The primary process serves them for all workers.
  const metricsServer = config.metricsPort === undefined || cluster.isWorker ? undefined : createMetricsServer(metrics);
  return {
    server,
    async listen() {
      // A process that starts while the connection to Redis is being established would at first count in its own
      // memory.
      await rateLimitStore.waitForConnection?.(redisConnectMilliseconds);
      await metricsServer?.listen(config, log);
      await listen(server, config.port, config.host, namesOfAddress);
      serve(createHandler(originOf(config, server), core));
      return originOf(config, server);
    },
    async close(deadlineMilliseconds = 10_000, drainDelayMilliseconds = 0) {
      if (server.listening) await drain(deadlineMilliseconds, drainDelayMilliseconds);
      await metricsServer?.close();
      await stop();
    },
  };
}

/** PUBLIC_URL; by default it uses the port that the server got. */
const originOf = ({ publicUrl }: Config, server: Server): string =>
  publicUrl ?? `http://localhost:${(server.address() as AddressInfo).port}`;

/** Monitoring has only a few clients. */
const maximumConnections = 100;

/** Serves /metrics, and nothing else, on a separate port: one that the proxy in front does not forward to. */
export function createMetricsServer(
  { contentType, read }: Pick<Metrics, 'contentType' | 'read'>,
  limits: Pick<ConnectionLimits, 'windowMilliseconds'> = {},
) {
  const { handle, serve, latestOn } = createConnections('', { isOn: false });
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, handle);
  serve((request, response) => {
    const isKnown =
      findRoute(request.url ?? '') === routes.metrics && (request.method === 'GET' || request.method === 'HEAD');
    if (!isKnown) {
      const body = toJson({ error: { code: 'NOT_FOUND', message: 'This port serves only GET /metrics.' } });
      response.writeHead(404, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
      return;
    }
    void read().then(
      (text) => response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(text),
      () => response.writeHead(503).end(),
    );
  });
  guardConnections(server, { ...limits, maximumConnections, latestOn });
  return {
    async listen({ metricsPort = 0, host }: Config, log: Log) {
      await listen(server, metricsPort, host, { host: 'HOST', port: 'METRICS_PORT' });
      log.info({ port: (server.address() as AddressInfo).port }, 'serving metrics on a separate port');
    },
    async close() {
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
