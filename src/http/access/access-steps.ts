import type { RequestHandler } from 'express';
import type { HttpDependencies, IsPublicRequest } from '../http-dependencies';
import type { Charge, Route } from '../routes';
import { authenticate } from './authenticate';
import { checkPlan } from './check-plan';
import { countDocument, limitRate } from './limit-rate';

type Step = (dependencies: HttpDependencies, isPublic: IsPublicRequest | undefined) => RequestHandler;

/** What stands in front of an endpoint, by what it charges; `key` in the order of D1. Scopes are the graph's (D11). */
const steps: Readonly<Record<Charge, readonly Step[]>> = {
  key: [authenticate, limitRate, checkPlan],
  address: [countDocument],
  token: [],
  none: [],
};

/** @param isPublic Which calls need no credential; none when it is left out. */
export const createAccessSteps = (
  { charge }: Route,
  dependencies: HttpDependencies,
  isPublic?: IsPublicRequest,
): RequestHandler[] => steps[charge].map((step) => step(dependencies, isPublic));
