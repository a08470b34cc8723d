import type { RequestHandler, Router } from 'express';
import { createAccessSteps } from '../../access/access-steps';
import type { HttpDependencies } from '../../http-dependencies';
import { prepareHeaders } from '../../response/send';
import { routes } from '../../routes';
import { createStrictRouter, mountRoute } from '../mount-route';

/** /graphql, after the same access steps as REST (D26). */
export function mountGraphql(dependencies: HttpDependencies): Router {
  const { graphqlMiddleware, isPublicGraphqlRequest, takeTurn } = dependencies;
  const router = createStrictRouter();
  const steps = [
    ...createAccessSteps(routes.graphql, dependencies, isPublicGraphqlRequest),
    putGraphqlHeaders,
    takeTurn,
    graphqlMiddleware,
  ];
  mountRoute(router, routes.graphql, dependencies, steps);
  return router;
}

/** The next handler writes its own response, so the headers are set before it. */
export const putGraphqlHeaders: RequestHandler = (_request, response, next) => {
  prepareHeaders(response);
  response.setHeader('Cache-Control', 'private, no-store');
  response.vary('Authorization');
  response.vary('Accept-Encoding');
  next();
};
