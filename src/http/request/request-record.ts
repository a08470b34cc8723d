import type { Response } from 'express';
import type { RequestTrace } from '../../observability/tracing';

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
