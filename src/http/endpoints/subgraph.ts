import { hash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler, Router } from 'express';
import { ApiError } from '../../errors/api-error';
import { routerSecretHeader } from '../../federation/transport/forwarded-headers';
import { subgraphFields } from '../../graph/public-operation';
import { createAccessSteps } from '../access/access-steps';
import { whenPublic, inOperationSlot } from './graphql/graphql-handler';
import type { HttpDependencies, SubgraphEndpoint } from '../http-dependencies';
import { routes } from '../routes';
import { createStrictRouter, mountRoute } from './mount-route';

/**
 * /subgraph: checks the router's secret first, then the client's credential, which the router forwards, by the same
 * steps as everywhere. The SDL alone needs no client credential.
 */
export function mountSubgraph({ middleware, secret }: SubgraphEndpoint, dependencies: HttpDependencies): Router {
  const router = createStrictRouter();
  const steps = [
    checkSecret(secret),
    ...createAccessSteps(routes.subgraph, dependencies, whenPublic(subgraphFields)),
    inOperationSlot(dependencies.waitForSlot),
    middleware,
  ];
  mountRoute(router, routes.subgraph, steps);
  return router;
}

/**
 * Compares digests of equal length, so that neither the time taken nor an early exit reveals anything about the secret.
 */
function checkSecret(secret: string): RequestHandler {
  const expected = sha256(secret);
  return ({ headers }, _response, next) => {
    const presented = headers[routerSecretHeader];
    if (!timingSafeEqual(sha256(String(presented ?? '')), expected)) {
      throw new ApiError(
        'UNAUTHORIZED',
        'This endpoint is for routers. Expected the router secret in Router-Authorization.',
        {
          headers: { 'WWW-Authenticate': 'Router-Authorization realm="Catalog subgraph"' },
          ...(presented && { credentialFault: { error: 'invalid_token', description: 'The secret is not valid' } }),
        },
      );
    }
    next();
  };
}

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');
