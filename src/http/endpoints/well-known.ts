import type { Router } from 'express';
import { createDocumentHandler } from '../response/document-handler';
import type { HttpDependencies } from '../http-dependencies';
import { routes } from '../routes';
import { createStrictRouter, mountRoute } from './mount-route';

/** Documents at well-known paths: metadata (RFC 8414, RFC 9728) and public keys (D14, D17). */
export function mountWellKnown(dependencies: HttpDependencies): Router {
  const router = createStrictRouter();
  for (const [name, document] of Object.entries(dependencies.wellKnownDocuments)) {
    const route = { ...routes.wellKnown, path: routes.wellKnown.path.replace('{*name}', name) };
    // Short: a verifier must learn of a new signing key before tokens signed with it are in general use.
    mountRoute(router, route, dependencies, [createDocumentHandler(document, 'public, max-age=300')]);
  }
  return router;
}
