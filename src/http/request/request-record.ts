import type { Response } from 'express';
import type { RequestTrace } from '../../observability/tracing';

/** What is known of a request from its first moment on, kept beside its response: for log, metrics and traces. */
export interface RequestRecord {
  readonly id: string;
  readonly method: string;
  /** See routes.ts. */
  operation: string;
  /** As performance.now() tells time. */
  readonly startedAt: number;
  /** While an OpenTelemetry SDK listens. */
  readonly trace: RequestTrace | undefined;
  /** When each step was done; only where Server-Timing is shown. */
  readonly steps: Step[] | undefined;
  /** The status, when the answer went past the response object (answer-malformed.ts). */
  rawStatus?: number;
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

/** The name of the request on its response and in every line of the log (`X-Request-Id`). */
export const requestIdOf = (response: Response): string | undefined => recordOf(response)?.id;

/** A step in front of the handler is done. */
export function noteStep(response: Response, name: Step['name']): void {
  recordOf(response)?.steps?.push({ name, doneAt: performance.now() });
}

/** Another handler than the path says has taken the request. */
export function renameOperation(response: Response, operation: string): void {
  const record = recordOf(response);
  if (record === undefined) return;
  record.operation = operation;
  record.trace?.rename(operation);
}
