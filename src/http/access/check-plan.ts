import type { RequestHandler } from 'express';
import { ApiError } from '../../errors/api-error';
import { findPrincipal } from '../request/request-state';

/** Is the API part of the shop's plan? 403 on every endpoint when not, before scope, parameters and existence (D1). */
export const checkPlan = (): RequestHandler => (_request, response, next) => {
  const plan = findPrincipal(response)?.shop.plan ?? 'business';
  if (plan !== 'business') {
    throw new ApiError('PLAN_LIMIT_EXCEEDED', `The API is part of the plan "business"; the shop is on "${plan}".`);
  }
  next();
};
