import type { DestinationStream, Logger } from 'pino';
import { pino } from 'pino';
import { maskLine } from './privacy/masked-line';

export type Log = Logger;

/** Lines that nobody takes are dropped beyond this: a log reader that hangs must not take the service's memory. */
const maximumWaitingBytes = 16 * 1024 * 1024;

/** Standard error, so that standard output stays the program's own. Written beside the work, and to its end at exit. */
const standardError = (): DestinationStream => pino.destination({ fd: 2, sync: false, maxLength: maximumWaitingBytes });

/** Structured log, one JSON object a line. Credentials and e-mail addresses never get in (D25). */
export const createLog = (level: string, destination: DestinationStream = standardError()): Log =>
  pino({ level, base: null, hooks: { streamWrite: maskLine } }, destination);
