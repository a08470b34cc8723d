import type { RequestHandler } from 'express';
import type { HttpDependencies, IsPublicRequest } from '../http-dependencies';
import { authenticate } from './authenticate';
import { checkPlan } from './check-plan';
import { limitRate } from './limit-rate';

/** What stands in front of every endpoint of both surfaces, in the order of D1. Scopes are the graph's (D11). */
const steps = [authenticate, limitRate, checkPlan];

/** @param isPublic Which calls need no credential; none when it is left out. */
export const createAccessSteps = (dependencies: HttpDependencies, isPublic?: IsPublicRequest): RequestHandler[] =>
  steps.map((step) => step(dependencies, isPublic));
