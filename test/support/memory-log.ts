import { pino } from 'pino';
import type { Log } from '../../src/log';

export type LogLine = Readonly<Record<string, unknown>>;

/** A log that keeps its lines for the test to read. */
export function createMemoryLog(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) });
  return { log, lines };
}
