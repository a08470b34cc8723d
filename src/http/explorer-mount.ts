import type { RequestHandler, Router } from 'express';
import { drawOnAddress } from './address-bucket';
import { denyOtherOrigins, keepFromOtherOrigins, setRateLimit } from './admission';
import { isBrowserVisit } from './explorer/explorer-pages';
import type { HttpDependencies } from './http-dependencies';
import { createRateLimitedError } from './rate-limited';
import { renameOperation } from './request-record';
import { prepareHeaders } from './send';
import { createStrictRouter } from './strict-router';

/**
 * The pages for people. They hold the demo key, so no other site may read them. The one at /graphql stands in front of the endpoint
 * and lets everything but a browser's visit through.
 */
export function mountExplorer(pages: Router, dependencies: HttpDependencies): Router {
  const router = createStrictRouter();
  // For all methods: a route for GET alone would make Express answer OPTIONS for it.
  router.all('/graphql', countVisit(dependencies));
  router.all(['/explorer', '/explorer/{*file}', '/favicon.ico'], denyOtherOrigins, putHeaders);
  router.use(pages);
  return router;
}

/** Needs no credential and counts on the address (D19, D26). */
const countVisit =
  ({ rateLimiter }: HttpDependencies): RequestHandler =>
  async (request, response, next) => {
    if (!isBrowserVisit(request)) return next('router');
    renameOperation(response, 'explorer');
    keepFromOtherOrigins(response);
    const decision = await drawOnAddress(rateLimiter, request);
    setRateLimit(response, decision);
    if (!decision.admitted) throw createRateLimitedError(decision);
    prepareHeaders(response);
    next();
  };

/** The pages write their responses by themselves. */
const putHeaders: RequestHandler = (_request, response, next) => {
  prepareHeaders(response);
  next();
};
