import type { Log } from '../../src/observability/log';
import { createLog } from '../../src/observability/log';

/** As a deployed process logs, wherever the tests run. */
export const jsonLog = { logLevel: 'info', logFormat: 'json', colors: false } as const;

export type LogLine = Readonly<Record<string, unknown>>;

/** The service's log, which keeps its lines for the test to read. */
export function createMemoryLog(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const log = createLog(jsonLog, { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) });
  return { log, lines };
}
