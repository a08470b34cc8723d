import type { Router } from 'express';
import { authorizationValues } from '../request/request';
import type { HttpDependencies } from '../http-dependencies';
import { readBody } from '../request/buffered-bytes';
import { send, toLines } from '../response/send';
import { routes } from '../routes';
import { createStrictRouter, mountRoute } from './mount-route';
import { createPublicRepresentation, createRepresentationHandler } from '../response/representation';

/** Far more than a grant type and three scopes need. */
export const maximumBodyBytes = 16_384;

/** The token endpoint (D13). */
export function mountOAuth(dependencies: HttpDependencies): Router {
  const router = createStrictRouter();
  mountRoute(router, routes.token, dependencies, [
    async (request, response) => {
      const { status, headers, body } = await dependencies.tokenEndpoint({
        authorization: authorizationValues(request),
        body: (await readBody(request, maximumBodyBytes, 'application/x-www-form-urlencoded')).toString(),
        ip: request.ip ?? '',
      });
      send(response, status, toLines(headers), Buffer.from(body));
    },
  ]);
  return router;
}

/** Documents at well-known paths: metadata (RFC 8414, RFC 9728) and public keys (D14, D17). */
export function mountWellKnown(dependencies: HttpDependencies): Router {
  const router = createStrictRouter();
  for (const [name, document] of Object.entries(dependencies.wellKnownDocuments)) {
    const route = { ...routes.wellKnown, path: routes.wellKnown.path.replace('{*name}', name) };
    // Short: a verifier must learn of a new signing key before tokens signed with it are in general use.
    const headers = { 'Cache-Control': 'public, max-age=300' };
    const file = createPublicRepresentation(JSON.stringify(document), 'application/json', headers);
    mountRoute(router, route, dependencies, [createRepresentationHandler(() => file)]);
  }
  return router;
}
