import type { RequestHandler, Router } from 'express';
import { chargeCall } from '../../access/access-steps';
import { denyOtherOrigins, keepFromOtherOrigins, renameOperation } from '../../request/request';
import { isBrowserVisit } from './explorer-pages';
import type { HttpDependencies } from '../../http-dependencies';
import { prepareHeaders } from '../../response/send';
import { routes } from '../../routes';
import { createStrictRouter } from '../mount-route';

/**
 * The pages for people. They contain the demo key, so no other site may read them. The one at /graphql comes before the
 * endpoint and passes on everything but a browser's navigation.
 */
export function mountExplorer(pages: Router, dependencies: HttpDependencies): Router {
  const router = createStrictRouter();
  // For all methods: with a route for GET alone, Express would answer OPTIONS itself.
  router.all(routes.graphql.path, countVisit(dependencies));
  router.all(routes.icon.path, denyOtherOrigins, putHeaders);
  router.use(pages);
  return router;
}

/** Needs no credential and counts against the address (D19, D26). */
const countVisit =
  ({ rateLimiter }: HttpDependencies): RequestHandler =>
  async (request, response, next) => {
    if (!isBrowserVisit(request)) return next('router');
    renameOperation(response, routes.explorer.operation);
    keepFromOtherOrigins(response);
    const refusal = await chargeCall(rateLimiter, request, response);
    if (refusal !== undefined) throw refusal;
    prepareHeaders(response);
    next();
  };

/** The pages write their own responses. */
const putHeaders: RequestHandler = (_request, response, next) => {
  prepareHeaders(response);
  next();
};
