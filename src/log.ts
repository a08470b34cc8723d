import { isatty } from 'node:tty';
import type { DestinationStream, Logger } from 'pino';
import { pino } from 'pino';
import type { Config } from './config';
import { loadPrettyLines } from './load-pretty-lines';
import { maskLine } from './privacy/masked-line';

export type Log = Logger;

/** Lines that nobody takes are dropped beyond this: a log reader that hangs must not take the service's memory. */
const maximumWaitingBytes = 16 * 1024 * 1024;

/**
 * Standard error, so that standard output stays the program's own. Written beside the work, and to its end at exit; on a terminal at
 * once, because at exit a terminal that was closed would be written to for ever. When nobody takes lines any more the service goes on without.
 */
function standardError(): DestinationStream {
  const stream = pino.destination({ fd: 2, sync: isatty(2), maxLength: maximumWaitingBytes });
  stream.on('error', () => {
    const dropped: Pick<typeof stream, 'write' | 'flushSync' | 'end'> = {
      write: () => true,
      flushSync: () => undefined,
      end: () => undefined,
    };
    Object.assign(stream, dropped);
  });
  return stream;
}

/**
 * Structured log, one JSON object a line; on a terminal, or when the settings say so, one line of text for people instead. Credentials
 * and e-mail addresses never get into either (D25): what is written for people is made of the masked line.
 */
export function createLog(
  { logLevel: level, logFormat, colors }: Pick<Config, 'logLevel' | 'logFormat' | 'colors'>,
  destination: DestinationStream = standardError(),
): Log {
  const isPretty = logFormat === undefined ? isatty(2) : logFormat === 'pretty';
  const toText = isPretty ? loadPrettyLines().createPrettyLines(colors && isatty(2)) : undefined;
  const streamWrite = toText === undefined ? maskLine : (line: string) => toText(maskLine(line));
  return pino({ level, base: null, hooks: { streamWrite } }, destination);
}

/** Why something outside of this process cannot be reached, for a line of its own: where that was noticed does not help. */
export function reasonOf(error: unknown): { readonly reason: string; readonly code: unknown } {
  const { message, code, name } = error as { message?: string; code?: unknown; name?: string };
  // node's attempts on several addresses end in an AggregateError without a message of its own.
  return { reason: [message, code, name].find((text) => typeof text === 'string' && text !== '') as string, code };
}
