import type { RequestHandler, Router } from 'express';
import { toJson } from './error-body';
import { denyOtherOrigins } from './admission';
import type { HttpDependencies } from './http-dependencies';
import { answerOptions, answerPlainOptions, refuseMethod } from './methods';
import { prepareHeaders, send } from './send';
import { createStrictRouter } from './strict-router';

const allow = 'GET, HEAD, OPTIONS';
const notStored = ['Cache-Control', 'no-store'];

/** What orchestrators and monitoring ask. */
export function mountHealth({ health, metrics, rateLimiter }: HttpDependencies): Router {
  const router = createStrictRouter();
  const options = answerOptions(allow, rateLimiter);
  router.route('/livez').get(putHeaders, answerAlive).options(options).all(refuseMethod(allow));
  router.route('/readyz').get(putHeaders, answerReady(health)).options(options).all(refuseMethod(allow));
  if (metrics !== undefined) {
    router
      .route('/metrics')
      // What it says of the inside is not for a page that happens to run in the operator's browser.
      .all(denyOtherOrigins)
      .get(putHeaders, answerMetrics(metrics))
      .options(answerPlainOptions(allow))
      .all(refuseMethod(allow));
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

/** Prometheus's text. */
const answerMetrics =
  ({ contentType, read }: NonNullable<HttpDependencies['metrics']>): RequestHandler =>
  async (_request, response) => {
    const text = await read();
    response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(text);
  };
