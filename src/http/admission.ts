import type { RequestHandler, Response } from 'express';
import type { Principal } from '../auth/principal';
import type { RateLimitDecision } from '../rate-limit/rate-limiter';
import type { RunningOperation } from './running-operation';

/** What the access steps found out about a call, kept beside its response. */
interface Admission {
  principal?: Principal;
  rateLimit?: RateLimitDecision;
  operation?: RunningOperation;
  timeout?: unknown;
  isSameOriginOnly?: true;
}

const admissionOf = (response: Response): Admission => response.locals as Admission;

/** Who calls; undefined while nobody was authenticated, and for the few calls that need no credential (D26). */
export const findPrincipal = (response: Response): Principal | undefined => admissionOf(response).principal;

/** Who calls, for handlers that stand behind the access steps. */
export function principalOf(response: Response): Principal {
  const principal = findPrincipal(response);
  if (principal === undefined) throw new Error('This handler is mounted in front of the access steps.');
  return principal;
}

export function setPrincipal(response: Response, principal: Principal): void {
  admissionOf(response).principal = principal;
}

/** What the call's bucket says; undefined until one was asked. */
export const rateLimitOf = (response: Response): RateLimitDecision | undefined => admissionOf(response).rateLimit;

export function setRateLimit(response: Response, decision: RateLimitDecision): void {
  admissionOf(response).rateLimit = decision;
}

/** The call's GraphQL operation, once it has begun. */
export const findOperation = (response: Response): RunningOperation | undefined => admissionOf(response).operation;

export function setOperation(response: Response, operation: RunningOperation): void {
  admissionOf(response).operation = operation;
}

/** Scripts of other origins may not read this response, whatever comes of it: it has no CORS headers. */
export function keepFromOtherOrigins(response: Response): void {
  admissionOf(response).isSameOriginOnly = true;
}

export const denyOtherOrigins: RequestHandler = (_request, response, next) => {
  keepFromOtherOrigins(response);
  next();
};

export const isSameOriginOnly = (response: Response): boolean => admissionOf(response).isSameOriginOnly === true;

/** The response is made of this error, whatever handlers still bring. */
export function setTimedOut(response: Response, error: unknown): void {
  admissionOf(response).timeout = error;
}

/** Whether something was thrown after the response had been given up. */
export function isTooLate(response: Response, thrown: unknown): boolean {
  const { timeout } = admissionOf(response);
  return timeout !== undefined && timeout !== thrown;
}
