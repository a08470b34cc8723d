import type { RequestHandler } from 'express';
import type { Principal } from '../../auth/principal';
import { ApiError } from '../../errors/api-error';
import { findPrincipal } from '../request/request-state';

/**
 * Checks that the shop's plan includes the API. If not, every endpoint responds with 403, before scope, parameters and
 * existence (D1).
 */
export const checkPlan = (): RequestHandler => (_request, response, next) => {
  const principal = findPrincipal(response);
  if (principal !== undefined) refuseOtherPlans(principal);
  next();
};

/** @throws ApiError PLAN_LIMIT_EXCEEDED */
export function refuseOtherPlans({ shop: { plan } }: Principal): void {
  if (plan === 'business') return;
  throw new ApiError('PLAN_LIMIT_EXCEEDED', `The API is part of the plan "business"; the shop is on "${plan}".`);
}
