import type { RequestHandler } from 'express';
import express from 'express';
import { answerInTime, checkRequest, observeRequests } from './request/request';
import { createErrorHandler, answerOptions, refuseRoute } from './response/handle-errors';
import { mountHealth } from './endpoints/health';
import type { HttpCore } from './http-dependencies';

/** The surfaces of a process in addition to health and metrics. */
export interface Surfaces {
  /** In routing order. */
  readonly routers: readonly RequestHandler[];
  /** The fallback for all other paths. */
  readonly otherwise?: RequestHandler | undefined;
}

/** The request pipeline, top to bottom. */
export function createHttpApp(core: HttpCore, { routers, otherwise }: Surfaces): express.Express {
  const app = express();
  const answerError = createErrorHandler(core);
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', false);
  app.set('trust proxy', core.trustedProxies);

  app.use(observeRequests(core));
  app.use(checkRequest);
  app.use(answerInTime(core, answerError));
  for (const router of routers) app.use(router);
  app.use(mountHealth(core));
  // `OPTIONS *` is about the server as a whole (RFC 9110 9.3.7).
  app.options(/^\*$/, answerOptions('GET, HEAD, POST, OPTIONS'));
  if (otherwise !== undefined) app.use(otherwise);
  app.use(refuseRoute(core));
  app.use(answerError);
  return app;
}
