import type { Request, RequestHandler, Response, Router } from 'express';
import { operations } from '../../rest/operations';
import { createRequestHandler } from '../../rest/request-handler';
import { createAccessSteps } from './access/access-steps';
import { drawOnAddress, withoutRefusal } from './address-bucket';
import { principalOf, setRateLimit } from './admission';
import { chooseEncoding, createBodyEncoder, tagOfEncoding } from './content-encoding';
import { createDocumentHandler } from './document-handler';
import type { HttpDependencies } from './http-dependencies';
import { answerOptions, refuseMethod } from './methods';
import { send } from './send';
import { createStrictRouter } from './strict-router';

const allow = 'GET, HEAD, OPTIONS';
/**
 * D7: anyone who keeps an answer asks again with its entity tag; no shared cache keeps it. `must-revalidate` adds nothing to no-cache; there are caches
 * that keep no answer to a request with Authorization without it (docs/decisions.md 62).
 */
const cacheLines = ['Cache-Control', 'private, no-cache, must-revalidate', 'Vary', 'Authorization, Accept-Encoding'];

/** The operations of rest/ under /v1, each behind the access steps, and the document that describes them. */
export function mountRest(dependencies: HttpDependencies): Router {
  const { graph, openApiDocument, rateLimiter } = dependencies;
  const router = createStrictRouter();
  const access = createAccessSteps(dependencies);
  const encode = createBodyEncoder();
  const options = answerOptions(allow, rateLimiter);

  for (const operation of operations) {
    const handle = createRequestHandler(graph, operation);
    const answer = async (request: Request, response: Response): Promise<void> => {
      const encoding = chooseEncoding(request);
      const { etag, body } = await handle({
        principal: principalOf(response),
        pathParameters: request.params as Record<string, string>,
        queryString: queryOf(request.originalUrl),
        ifNoneMatch: request.headers['if-none-match'],
        nameRepresentation: (tag) => tagOfEncoding(tag, encoding),
      });
      const headers = ['ETag', etag, ...cacheLines];
      if (body === undefined) return send(response, 304, headers);
      const sent = encoding === undefined ? body : await encode(body, encoding);
      if (encoding !== undefined && sent !== body) headers.push('Content-Encoding', encoding);
      send(response, 200, headers, sent);
    };
    router.route(toExpressPath(operation.path)).get(access, answer).options(options).all(refuseMethod(allow));
  }

  const document = createDocumentHandler(openApiDocument, 'public, no-cache');
  router.route('/openapi.json').get(countOnAddress(dependencies), document).options(options).all(refuseMethod(allow));
  return router;
}

/** Public documents count against the address too, for their headers (D19); nobody is refused one. */
const countOnAddress =
  ({ rateLimiter }: HttpDependencies): RequestHandler =>
  async (request, response, next) => {
    setRateLimit(response, withoutRefusal(await drawOnAddress(rateLimiter, request)));
    next();
  };

/** `/products/{productId}` in Express's spelling. */
const toExpressPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

function queryOf(target: string): string {
  const start = target.indexOf('?');
  return start === -1 ? '' : target.slice(start + 1);
}
