import type { Logger } from 'pino';
import { pino } from 'pino';

export type Log = Logger;

/** Structured log on standard error, so that standard output stays the program's own. Credentials never get in (D25). */
export const createLog = (level: string): Log =>
  pino(
    {
      level,
      base: null,
      redact: {
        paths: ['authorization', '*.authorization', 'headers.authorization', 'req.headers.authorization'],
        censor: '…',
      },
    },
    pino.destination({ fd: 2, sync: false }),
  );
