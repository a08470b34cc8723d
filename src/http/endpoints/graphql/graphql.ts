import type { RequestHandler, Router } from 'express';
import { constants } from 'node:zlib';
import compression from 'compression';
import { createAccessSteps } from '../../access/access-steps';
import { brotliQuality, gzipLevel } from '../../response/content-encoding';
import { putEndInPieces } from '../../response/end-in-pieces';
import type { HttpDependencies } from '../../http-dependencies';
import { prepareHeaders } from '../../response/send';
import { routes } from '../../routes';
import { createStrictRouter, mountRoute } from '../mount-route';

/** /graphql, after the same access steps as REST (D26). */
export function mountGraphql(dependencies: HttpDependencies): Router {
  const { graphqlMiddleware, isPublicGraphqlRequest, answerRepeatedRequest, takeTurn } = dependencies;
  const router = createStrictRouter();
  const steps = [
    ...createAccessSteps(routes.graphql, dependencies, isPublicGraphqlRequest),
    ...(answerRepeatedRequest === undefined ? [] : [answerRepeatedRequest]),
    putGraphqlHeaders,
    compressResponse,
    putEndInPieces,
    takeTurn,
    graphqlMiddleware,
  ];
  mountRoute(router, routes.graphql, dependencies, steps);
  return router;
}

const compress = compression({
  level: gzipLevel,
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } },
});

/** As in content-encoding.ts; these bodies have no entity tag, and Apollo Server writes them. */
const compressResponse: RequestHandler = (request, response, next) => {
  if (request.headers['accept-encoding'] !== undefined) return compress(request, response, next);
  response.vary('Accept-Encoding');
  next();
};

/** The next handler writes its own response, so the headers are set before it. */
export const putGraphqlHeaders: RequestHandler = (_request, response, next) => {
  prepareHeaders(response);
  response.setHeader('Cache-Control', 'private, no-store');
  response.vary('Authorization');
  next();
};
