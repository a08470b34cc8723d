import type { Router } from 'express';
import { maximumBodyBytes } from '../../auth/oauth/token-request';
import { authorizationValues } from '../request/request';
import type { HttpDependencies } from '../http-dependencies';
import { answerOptions } from '../response/handle-errors';
import { parseMediaType, readBody } from '../request/buffered-bytes';
import { send, toLines } from '../response/send';
import { routes } from '../routes';
import { createStrictRouter, mountRoute } from './mount-route';
import { createPublicRepresentation, createRepresentationHandler } from '../response/representation';

/** The token endpoint (D13). It answers wrong methods itself: all its errors have the format of RFC 6749. */
export function mountOAuth({ tokenEndpoint }: HttpDependencies): Router {
  const router = createStrictRouter();
  const { path, methods } = routes.token;
  router.options(path, answerOptions(methods));
  router.all(path, async (request, response) => {
    const contentType = request.headers['content-type'];
    const { status, headers, body } = await tokenEndpoint({
      method: request.method,
      authorization: authorizationValues(request),
      contentType: contentType === undefined ? undefined : parseMediaType(contentType),
      body: request.method === 'POST' ? await readBody(request, maximumBodyBytes) : '',
      ip: request.ip ?? '',
      requestId: response.locals.requestId,
    });
    send(response, status, toLines(headers), Buffer.from(body));
  });
  return router;
}

/** Documents at well-known paths: metadata (RFC 8414, RFC 9728) and public keys (D14, D17). */
export function mountWellKnown({ wellKnownDocuments }: Pick<HttpDependencies, 'wellKnownDocuments'>): Router {
  const router = createStrictRouter();
  for (const [name, document] of Object.entries(wellKnownDocuments)) {
    const route = { ...routes.wellKnown, path: routes.wellKnown.path.replace('{*name}', name) };
    // Short: a verifier must learn of a new signing key before tokens signed with it are in general use.
    const headers = { 'Cache-Control': 'public, max-age=300' };
    const file = createPublicRepresentation(JSON.stringify(document), 'application/json', headers);
    mountRoute(router, route, [createRepresentationHandler(() => file)]);
  }
  return router;
}
