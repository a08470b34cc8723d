import type { RequestHandler, Router } from 'express';
import { toJson } from './error-body';
import type { HttpDependencies } from './http-dependencies';
import { answerOptions, refuseMethod } from './methods';
import { prepareHeaders, send } from './send';
import { createStrictRouter } from './strict-router';

const allow = 'GET, HEAD, OPTIONS';
const notStored = ['Cache-Control', 'no-store'];

/** What orchestrators and monitoring ask. */
export function mountHealth({ health, metrics, rateLimiter }: HttpDependencies): Router {
  const router = createStrictRouter();
  const routes: readonly (readonly [path: string, handler: RequestHandler | undefined])[] = [
    ['/livez', answerAlive],
    ['/readyz', answerReady(health)],
    ['/metrics', metrics && answerMetrics(metrics)],
  ];
  for (const [path, handler] of routes) {
    if (handler === undefined) continue;
    router.route(path).get(putHeaders, handler).options(answerOptions(allow, rateLimiter)).all(refuseMethod(allow));
  }
  return router;
}

const putHeaders: RequestHandler = (_request, response, next) => {
  prepareHeaders(response);
  next();
};

/** The process runs and its event loop turns. Says nothing of the database: a restart would not bring that back. */
const answerAlive: RequestHandler = (_request, response) => {
  send(response, 200, notStored, toJson({ alive: true }));
};

/** Whether requests should be sent here. */
const answerReady =
  (health: HttpDependencies['health']): RequestHandler =>
  async (_request, response) => {
    const { ready, checks } = await health();
    if (ready) return send(response, 200, notStored, toJson({ ready, checks }));
    const error = { code: 'SERVICE_UNAVAILABLE', message: 'Not ready to take requests; `checks` says why.' };
    send(response, 503, [...notStored, 'Retry-After', '1'], toJson({ error, ready, checks }));
  };

/** Prometheus's text. Here unless the metrics have a port of their own. */
const answerMetrics =
  ({ contentType, read }: NonNullable<HttpDependencies['metrics']>): RequestHandler =>
  async (_request, response) => {
    const text = await read();
    response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(text);
  };
