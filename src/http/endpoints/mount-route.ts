import type { RequestHandler } from 'express';
import { Router } from 'express';
import type { HttpCore } from '../http-dependencies';
import { denyOtherOrigins } from '../request/request';
import { answerOptions, answerPlainOptions, refuseMethod } from '../response/handle-errors';
import type { Route } from '../routes';
import { toExpressPath } from '../routes';

/** Creates a router that matches paths literally, as the application does: routers do not inherit these settings. */
export const createStrictRouter = (): Router => Router({ caseSensitive: true, strict: true });

/**
 * Mounts a route of the table. The steps answer GET (and HEAD) or POST as the route says, OPTIONS returns the allowed
 * methods, and any other method gets 405 (D6).
 */
export function mountRoute(
  router: Router,
  { path, methods, isSameOriginOnly }: Route,
  { rateLimiter }: Pick<HttpCore, 'rateLimiter'>,
  steps: RequestHandler[],
): void {
  const mounted = router.route(toExpressPath(path));
  if (isSameOriginOnly) mounted.all(denyOtherOrigins);
  if (methods.includes('GET')) mounted.get(steps);
  if (methods.includes('POST')) mounted.post(steps);
  const options = isSameOriginOnly ? answerPlainOptions(methods) : answerOptions(methods, rateLimiter);
  mounted.options(options).all(refuseMethod(methods));
}
