import type { RequestHandler } from 'express';
import { Router } from 'express';
import { answerOptions, refuseMethod } from '../response/handle-errors';
import type { Route } from '../routes';
import { toExpressPath } from '../routes';

/** Creates a router that matches paths literally, as the application does: routers do not inherit these settings. */
export const createStrictRouter = (): Router => Router({ caseSensitive: true, strict: true });

/**
 * Mounts a route of the table. The steps answer GET (and HEAD) or POST as the route says, OPTIONS returns the allowed
 * methods, and any other method gets 405 (D6).
 */
export function mountRoute(router: Router, { path, methods }: Route, steps: RequestHandler[]): void {
  const mounted = router.route(toExpressPath(path));
  if (methods.includes('GET')) mounted.get(steps);
  if (methods.includes('POST')) mounted.post(steps);
  mounted.options(answerOptions(methods)).all(refuseMethod(methods));
}
