import type * as PrettyLines from './pretty-lines';
import { isatty } from 'node:tty';
import type { DestinationStream, Logger } from 'pino';
import { pino } from 'pino';
import type { Config } from '../config/config';
import { maskLine } from '../privacy/masked-line';
import { toTerminalText } from '../common/terminal';
import { createRequire } from 'node:module';

export type Log = Logger;

/** Unread lines beyond this size are dropped: a log reader that hangs must not use up the service's memory. */
const maximumWaitingBytes = 16 * 1024 * 1024;

/**
 * Writes to standard error, so that standard output is left to the program. Writes asynchronously and flushes at exit.
 * On a terminal it writes synchronously, because a flush at exit would retry forever on a closed terminal. When lines
 * can no longer be written, the service continues without logging.
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

/** Whether to write pretty lines: as configured, otherwise if the stream is a terminal. */
export const isPretty = ({ logFormat }: Pick<Config, 'logFormat'>, fd: 1 | 2): boolean =>
  logFormat === undefined ? isatty(fd) : logFormat === 'pretty';

/**
 * Creates the structured log: one JSON object per line, or one pretty line of text on a terminal or when the settings
 * ask for it. Credentials, e-mail addresses (D25) and control characters never appear in either: pretty lines are made
 * from masked lines, in which control characters are escapes.
 */
export function createLog(
  { logLevel: level, logFormat, colors }: Pick<Config, 'logLevel' | 'logFormat' | 'colors'>,
  destination: DestinationStream = standardError(),
): Log {
  const toText = isPretty({ logFormat }, 2) ? loadPrettyLines().createPrettyLines(colors && isatty(2)) : undefined;
  const toMaskedLine = (line: string) => toTerminalText(maskLine(line));
  const streamWrite = toText === undefined ? toMaskedLine : (line: string) => toText(toMaskedLine(line));
  return pino({ level, base: null, hooks: { streamWrite } }, destination);
}

/** For modules that log plain lines. */
export const toLineLog = (log: Log) => ({
  info: (line: string) => log.info(line),
  warn: (line: string) => log.warn(line),
  error: (line: string) => log.error(line),
});

/** Why an external service cannot be reached, for a log line. The stack is omitted because it does not help. */
export function failureFields(error: unknown): { readonly reason: string; readonly code: unknown } {
  const { message, code, name } = error as { message?: string; code?: unknown; name?: string };
  // Node's attempts on several addresses end in an AggregateError without its own message.
  return { reason: [message, code, name].find((text) => typeof text === 'string' && text !== '') as string, code };
}

/** Loads the formatter of pretty log lines only when it is needed: a deployed process does not use it. */
const loadPrettyLines = (): typeof PrettyLines => createRequire(__filename)('./pretty-lines') as typeof PrettyLines;
