import type { RequestHandler } from 'express';
import type { HttpDependencies } from '../http-dependencies';
import { noteStep } from '../request/request-record';
import { chargeCall, chargeDocument } from './charge';

/**
 * Checks that the key has calls left in its window; 429 if not. Calls that are refused later are counted as well (D1,
 * D18).
 */
export const limitRate =
  ({ rateLimiter }: HttpDependencies): RequestHandler =>
  async (request, response, next) => {
    const refusal = await chargeCall(rateLimiter, request, response);
    noteStep(response, 'limit');
    if (refusal !== undefined) throw refusal;
    next();
  };

/** Public documents count against the address too, for their headers (D19). */
export const countDocument =
  ({ rateLimiter }: HttpDependencies): RequestHandler =>
  async (request, response, next) => {
    await chargeDocument(rateLimiter, request, response);
    next();
  };
