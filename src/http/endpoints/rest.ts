import type { Request, Response, Router } from 'express';
import { toIgnoredHeader } from '../../../rest/parameters';
import { createRequestHandler } from '../../../rest/request-handler';
import { createAccessSteps } from '../access/access-steps';
import { principalOf } from '../request/request-state';
import { chooseEncoding, createBodyEncoder, holdsAny, readHeldTags, tagOfEncoding } from '../response/content-encoding';
import { createDocumentHandler } from '../response/document-handler';
import type { HttpDependencies } from '../http-dependencies';
import { send } from '../response/send';
import { sendLong } from '../response/send-long';
import { queryOf, restRoutes, routes } from '../routes';
import { createStrictRouter, mountRoute } from './mount-route';

/**
 * D7: clients that cache an answer revalidate it with its entity tag; shared caches do not store it. `must-revalidate`
 * adds nothing to no-cache, but without it some caches store no answer to a request with Authorization
 * (docs/decisions.md 8).
 */
const cacheLines = ['Cache-Control', 'private, no-cache, must-revalidate', 'Vary', 'Authorization, Accept-Encoding'];

/** The operations of rest/, each after the access steps, and the document that describes them. */
export function mountRest(dependencies: HttpDependencies): Router {
  const { graph, openApiDocument } = dependencies;
  const router = createStrictRouter();
  const encode = createBodyEncoder();

  for (const route of restRoutes) {
    const handle = createRequestHandler(graph, route.rest);
    const answer = async (request: Request, response: Response): Promise<void> => {
      const encoding = chooseEncoding(request);
      const { etag, body, ignored } = await handle({
        principal: principalOf(response),
        pathParameters: request.params as Record<string, string>,
        queryString: queryOf(request.originalUrl),
        heldTags: readHeldTags(request, encoding),
      });
      const headers = ['ETag', tagOfEncoding(etag, encoding), ...cacheLines, ...toIgnoredHeader(ignored)];
      const isUnwanted = holdsAny(request);
      if (isUnwanted && body !== undefined && !Buffer.isBuffer(body)) body.cancel();
      if (body === undefined || isUnwanted) return send(response, 304, headers);
      if (!Buffer.isBuffer(body)) return sendLong(request, response, { headers, encoding, body });
      const sent = encoding === undefined ? body : await encode(request, body, encoding);
      if (encoding !== undefined && sent !== body) headers.push('Content-Encoding', encoding);
      send(response, 200, headers, sent);
    };
    mountRoute(router, route, dependencies, [...createAccessSteps(route, dependencies), answer]);
  }

  mountRoute(router, routes.openApi, dependencies, [
    ...createAccessSteps(routes.openApi, dependencies),
    createDocumentHandler(openApiDocument, 'public, no-cache'),
  ]);
  return router;
}
