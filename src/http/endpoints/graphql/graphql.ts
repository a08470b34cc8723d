import type { RequestHandler, Router } from 'express';
import type { GraphqlEndpoint, HttpCore } from '../../http-dependencies';
import { prepareHeaders } from '../../response/send';
import { routes } from '../../routes';
import { createStrictRouter, mountRoute } from '../mount-route';
import { operationInTurn } from './operation-turns';

/** /graphql, after the steps that admit a call. */
export function mountGraphql({ access, takeTurn, middleware }: GraphqlEndpoint, core: HttpCore): Router {
  const router = createStrictRouter();
  mountRoute(router, routes.graphql, core, [...access, putGraphqlHeaders, operationInTurn(takeTurn), middleware]);
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
