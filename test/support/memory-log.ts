import type { Log } from '../../src/log';
import { createLog } from '../../src/log';

export type LogLine = Readonly<Record<string, unknown>>;

/** The service's log, keeping its lines for the test to read. */
export function createMemoryLog(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) });
  return { log, lines };
}
