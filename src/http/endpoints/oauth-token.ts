import type { Router } from 'express';
import { maximumBodyBytes } from '../../auth/oauth/token-request';
import { authorizationValues, requestIdOf } from '../request/request-state';
import type { HttpDependencies } from '../http-dependencies';
import { answerOptions } from '../response/methods';
import { readBody } from '../request/read-body';
import { prepareHeaders } from '../response/send';
import { routes } from '../routes';
import { createStrictRouter } from './mount-route';

/** The token endpoint (D13). It answers wrong methods itself: all its errors have the format of RFC 6749. */
export function mountOAuth({ tokenEndpoint, rateLimiter }: HttpDependencies): Router {
  const router = createStrictRouter();
  const { path, methods } = routes.token;
  router.options(path, answerOptions(methods, rateLimiter));
  router.all(path, async (request, response) => {
    const { status, headers, body } = await tokenEndpoint({
      method: request.method,
      authorization: authorizationValues(request),
      contentType: request.headers['content-type'],
      body: request.method === 'POST' ? await readBody(request, maximumBodyBytes) : '',
      ip: request.ip ?? '',
      requestId: requestIdOf(response),
    });
    prepareHeaders(response);
    response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
  });
  return router;
}
