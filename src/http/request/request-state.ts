import type { Request, RequestHandler, Response } from 'express';
import type { Principal } from '../../auth/principal';
import type { RequestTrace } from '../../observability/tracing';
import type { RateLimitDecision } from '../../rate-limit/rate-limiter';
import type { RunningOperation } from './running-operation';

/** What is known about a request from its start, stored beside its response: for log, metrics and traces. */
export interface RequestRecord {
  readonly id: string;
  readonly method: string;
  /** See routes.ts. */
  operation: string;
  /** In the time of performance.now(). */
  readonly startedAt: number;
  /** Set while an OpenTelemetry SDK is listening. */
  readonly trace: RequestTrace | undefined;
  /** When each step finished; only if Server-Timing is shown. */
  readonly steps: Step[] | undefined;
  /** The status, if the answer bypassed the response object (answer-malformed.ts). */
  rawStatus?: number;
  /** Set for responses whose length is not bounded. */
  countBytes?: () => number;
}

export interface Step {
  readonly name: 'auth' | 'limit';
  readonly doneAt: number;
}

interface RecordedLocals {
  record?: RequestRecord;
}

export const recordOf = (response: Response): RequestRecord | undefined => (response.locals as RecordedLocals).record;

export function setRecord(response: Response, record: RequestRecord): void {
  (response.locals as RecordedLocals).record = record;
}

/** The request id on the response and in every log line (`X-Request-Id`). */
export const requestIdOf = (response: Response): string | undefined => recordOf(response)?.id;

/** Records that a step before the handler is done. */
export function noteStep(response: Response, name: Step['name']): void {
  recordOf(response)?.steps?.push({ name, doneAt: performance.now() });
}

/** Lets the log have what is written to the connection from now on. */
export function countBytes(response: Response): void {
  const record = recordOf(response);
  const { socket } = response;
  if (record === undefined || socket === null) return;
  const before = socket.bytesWritten;
  const count = (): number => socket.bytesWritten - before;
  record.countBytes = count;
}

/** Records that another handler than the path indicates has taken the request. */
export function renameOperation(response: Response, operation: string): void {
  const record = recordOf(response);
  if (record === undefined) return;
  record.operation = operation;
  record.trace?.rename(operation);
}

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

/** Where nothing is limited, responses say nothing of it. */
export function setRateLimit(response: Response, decision: RateLimitDecision): void {
  if (decision.limit === Infinity) return;
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

/** The answer is made, and what it holds is counted until it is read (buffered-bytes.ts). */
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

/** Returns every Authorization header as it was sent: of several, node:http silently keeps the first (D16). */
export function authorizationValues({ rawHeaders }: Request): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 13 && name.toLowerCase() === 'authorization') values.push(rawHeaders[index + 1] as string);
  }
  return values;
}
