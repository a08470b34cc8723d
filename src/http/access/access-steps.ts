import type { RequestHandler } from 'express';
import type { HttpDependencies, IsPublicRequest } from '../http-dependencies';
import type { Charge, Route } from '../routes';
import { authenticate } from './authenticate';
import { checkPlan } from './check-plan';
import { countDocument, limitRate } from './limit-rate';

type Step = (dependencies: HttpDependencies, isPublic: IsPublicRequest | undefined) => RequestHandler;

/**
 * The steps that run before an endpoint, by what it charges; for `key`, in the order of D1. Scopes belong to the graph
 * (D11).
 */
const steps: Readonly<Record<Charge, readonly Step[]>> = {
  key: [authenticate, limitRate, checkPlan],
  address: [countDocument],
  token: [],
  none: [],
};

/** @param isPublic Which calls need no credential; none if omitted. */
export const createAccessSteps = (
  { charge }: Route,
  dependencies: HttpDependencies,
  isPublic?: IsPublicRequest,
): RequestHandler[] => steps[charge].map((step) => step(dependencies, isPublic));
