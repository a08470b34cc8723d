import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../../config/config';
import type { Log } from '../../observability/log';
import type { Metrics } from '../../observability/metrics';
import { trackConnections } from './connections';
import { toJson } from '../response/handle-errors';
import type { ConnectionLimits } from './guard-connections';
import { guardConnections } from './guard-connections';
import { findRoute, routes } from '../routes';
import { listen } from './listen';

/** A few clients, at intervals. */
const maximumConnections = 100;

export interface MetricsServer {
  listen(config: Config, log: Log): Promise<void>;
  close(): Promise<void>;
}

/** Serves /metrics, and nothing else, on a separate port: one that the proxy in front does not forward to. */
export function createMetricsServer(
  { contentType, read }: Pick<Metrics, 'contentType' | 'read'>,
  limits: Pick<ConnectionLimits, 'windowMilliseconds'> = {},
): MetricsServer {
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
    const isKnown =
      findRoute(request.url ?? '') === routes.metrics && (request.method === 'GET' || request.method === 'HEAD');
    if (!isKnown) {
      const body = toJson({ error: { code: 'NOT_FOUND', message: 'This port serves GET /metrics and nothing else.' } });
      response.writeHead(404, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
      return;
    }
    void read().then(
      (text) => response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(text),
      () => response.writeHead(503).end(),
    );
  });
  const { latestOn } = trackConnections(server, () => false);
  guardConnections(server, { ...limits, maximumConnections, latestOn });
  return {
    async listen(config, log) {
      await listen(server, 'METRICS_PORT', config, log);
      log.info({ port: (server.address() as AddressInfo).port }, 'metrics have a separate port');
    },
    async close() {
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
