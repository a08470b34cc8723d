import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { Metrics } from '../observability/metrics';
import { toJson } from './error-body';
import { pathOf } from './surface';

/** /metrics on a port of its own and nothing else: a port that the proxy in front does not know. */
export const createMetricsServer = ({ contentType, read }: Pick<Metrics, 'contentType' | 'read'>): Server =>
  createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
    const isKnown = pathOf(request.url ?? '') === '/metrics' && (request.method === 'GET' || request.method === 'HEAD');
    if (!isKnown) {
      const body = toJson({ error: { code: 'NOT_FOUND', message: 'Here is GET /metrics and nothing else.' } });
      response.writeHead(404, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
      return;
    }
    void read().then(
      (text) => response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(text),
      () => response.writeHead(500).end(),
    );
  });
