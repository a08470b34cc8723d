import type { Router } from 'express';
import { createDocumentHandler } from './document-handler';
import type { HttpDependencies } from './http-dependencies';
import { answerOptions, refuseMethod } from './methods';
import { createStrictRouter } from './strict-router';

const allow = 'GET, HEAD, OPTIONS';

/** Documents that clients find by their name: metadata (RFC 8414, RFC 9728) and public keys (D14, D17). */
export function mountWellKnown({ wellKnownDocuments, rateLimiter }: HttpDependencies): Router {
  const router = createStrictRouter();
  for (const [path, document] of Object.entries(wellKnownDocuments)) {
    router
      .route(`/${path}`)
      // Short: a verifier must hear of a new signing key before tokens signed with it are everywhere.
      .get(createDocumentHandler(document, 'public, max-age=300'))
      .options(answerOptions(allow, rateLimiter))
      .all(refuseMethod(allow));
  }
  return router;
}
