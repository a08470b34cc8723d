import type { RequestHandler, Router } from 'express';
import { chargeCall } from '../../access/charge';
import { denyOtherOrigins, keepFromOtherOrigins } from '../../request/request-state';
import { isBrowserVisit } from './explorer-pages';
import type { HttpDependencies } from '../../http-dependencies';
import { renameOperation } from '../../request/request-record';
import { prepareHeaders } from '../../response/send';
import { routes } from '../../routes';
import { createStrictRouter } from '../mount-route';

/**
 * The pages for people. They hold the demo key, so no other site may read them. The one at /graphql stands in front of the endpoint
 * and lets everything but a browser's visit through.
 */
export function mountExplorer(pages: Router, dependencies: HttpDependencies): Router {
  const router = createStrictRouter();
  // For all methods: a route for GET alone would make Express answer OPTIONS for it.
  router.all(routes.graphql.path, countVisit(dependencies));
  const paths = [routes.explorer, routes.explorerFiles, routes.icon].map(({ path }) => path);
  router.all(paths, denyOtherOrigins, putHeaders);
  router.use(pages);
  return router;
}

/** Needs no credential and counts on the address (D19, D26). */
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

/** The pages write their responses by themselves. */
const putHeaders: RequestHandler = (_request, response, next) => {
  prepareHeaders(response);
  next();
};
