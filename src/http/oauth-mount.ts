import type { Router } from 'express';
import { maximumBodyBytes } from '../auth/oauth/check-envelope';
import { authorizationValues } from './authorization-values';
import type { HttpDependencies } from './http-dependencies';
import { answerOptions } from './methods';
import { readBody } from './read-body';
import { requestIdOf } from './request-record';
import { prepareHeaders } from './send';
import { createStrictRouter } from './strict-router';

/** The token endpoint (D13). It answers wrong methods itself: all of its errors have RFC 6749's shape. */
export function mountOAuth({ tokenEndpoint, rateLimiter }: HttpDependencies): Router {
  const router = createStrictRouter();
  router.options('/oauth/token', answerOptions('POST, OPTIONS', rateLimiter));
  router.all('/oauth/token', async (request, response) => {
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
