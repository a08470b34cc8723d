import type { RequestHandler, Router } from 'express';
import { toJson } from '../response/handle-errors';
import type { HttpCore } from '../http-dependencies';
import { send } from '../response/send';
import { routes } from '../routes';
import { createStrictRouter, mountRoute } from './mount-route';

const notStored = ['Cache-Control', 'no-store'];

/** Endpoints for orchestrators and monitoring. */
export function mountHealth({ health, metrics }: HttpCore): Router {
  const router = createStrictRouter();
  mountRoute(router, routes.live, [answerAlive]);
  mountRoute(router, routes.ready, [answerReady(health)]);
  if (metrics !== undefined) mountRoute(router, routes.metrics, [answerMetrics(metrics)]);
  return router;
}

/**
 * Reports that the process runs and its event loop is running. It does not check the database: a restart would not
 * repair that.
 */
const answerAlive: RequestHandler = (_request, response) => {
  send(response, 200, notStored, toJson({ alive: true }));
};

/** Reports whether requests should be sent here. */
const answerReady =
  (health: HttpCore['health']): RequestHandler =>
  async (_request, response) => {
    const { ready, checks } = await health();
    if (ready) return send(response, 200, notStored, toJson({ ready, checks }));
    const error = { code: 'SERVICE_UNAVAILABLE', message: 'Not ready to serve requests. See `checks` for the reason.' };
    send(response, 503, [...notStored, 'Retry-After', '1'], toJson({ error, ready, checks }));
  };

/** Metrics in Prometheus's text format. */
const answerMetrics =
  ({ contentType, read }: NonNullable<HttpCore['metrics']>): RequestHandler =>
  async (_request, response) => {
    const text = await read();
    send(response, 200, notStored, Buffer.from(text), contentType);
  };
