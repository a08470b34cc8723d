import type { RequestHandler, Response } from 'express';
import type { Principal } from '../../auth/principal';
import type { RateLimitDecision } from '../../rate-limit/rate-limiter';
import type { RunningOperation } from './running-operation';

/** What the steps of a request pass on to later ones, stored beside its response. */
interface RequestState {
  principal?: Principal;
  rateLimit?: RateLimitDecision;
  operation?: RunningOperation;
  timeout?: unknown;
  isSameOriginOnly?: true;
  onHandOver?: () => void;
}

const stateOf = (response: Response): RequestState => response.locals as RequestState;

/** The caller; undefined before authentication, and for the few calls that need no credential (D26). */
export const findPrincipal = (response: Response): Principal | undefined => stateOf(response).principal;

/** The caller, for handlers that run after the access steps. */
export function principalOf(response: Response): Principal {
  const principal = findPrincipal(response);
  if (principal === undefined) throw new Error('This handler is mounted before the access steps.');
  return principal;
}

export function setPrincipal(response: Response, principal: Principal): void {
  stateOf(response).principal = principal;
}

/** The decision of the call's bucket; undefined before it was charged. */
export const rateLimitOf = (response: Response): RateLimitDecision | undefined => stateOf(response).rateLimit;

export function setRateLimit(response: Response, decision: RateLimitDecision): void {
  stateOf(response).rateLimit = decision;
}

/** The call's GraphQL operation, once it has begun. */
export const findOperation = (response: Response): RunningOperation | undefined => stateOf(response).operation;

export function setOperation(response: Response, operation: RunningOperation): void {
  stateOf(response).operation = operation;
}

/** Calls back once the whole answer is made: the remainder depends on the client that reads it. */
export function onHandOver(response: Response, callback: () => void): void {
  stateOf(response).onHandOver = callback;
}

/** The answer is made, and what it holds is counted until it is read (held-bytes.ts). */
export const handOver = (response: Response): void => stateOf(response).onHandOver?.();

/** Scripts of other origins may not read this response, whatever its outcome: it has no CORS headers. */
export function keepFromOtherOrigins(response: Response): void {
  stateOf(response).isSameOriginOnly = true;
}

export const denyOtherOrigins: RequestHandler = (_request, response, next) => {
  keepFromOtherOrigins(response);
  next();
};

export const isSameOriginOnly = (response: Response): boolean => stateOf(response).isSameOriginOnly === true;

/** Responds with this error, whatever the handlers still produce. */
export function setTimedOut(response: Response, error: unknown): void {
  stateOf(response).timeout = error;
}

/** Whether something was thrown after the response had been abandoned. */
export function isTooLate(response: Response, thrown: unknown): boolean {
  const { timeout } = stateOf(response);
  return timeout !== undefined && timeout !== thrown;
}
