import type { Response } from 'express';
import type { RequestRecord } from './request-record';

/**
 * Shows in `Server-Timing` how long authentication, rate limit and everything after them took. It is for people who try
 * the API: outside production only, because durations reveal more than strangers should know, and overriding a method
 * takes time.
 */
export function showTimings(response: Response, record: RequestRecord): void {
  const writeHead = response.writeHead.bind(response) as (...values: unknown[]) => Response;
  const writeTimedHead = (...values: unknown[]): Response => {
    const timing = toServerTiming(record, performance.now());
    const lines = values.at(-1);
    if (Array.isArray(lines))
      return writeHead(...values.slice(0, -1), [...(lines as string[]), 'Server-Timing', timing]);
    response.setHeader('Server-Timing', timing);
    return writeHead(...values);
  };
  response.writeHead = writeTimedHead;
}

/** `auth;dur=1.2, limit;dur=0.1, run;dur=3.4`, in milliseconds. */
function toServerTiming({ startedAt, steps = [] }: RequestRecord, now: number): string {
  let from = startedAt;
  const entries = [...steps, { name: 'run', doneAt: now }].map(({ name, doneAt }) => {
    const entry = `${name};dur=${(doneAt - from).toFixed(1)}`;
    from = doneAt;
    return entry;
  });
  return entries.join(', ');
}
