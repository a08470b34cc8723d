import type { SourceLog } from '../../../src/federation/source/supergraph-source';

export interface RecordedLog extends SourceLog {
  /** `level: line` */
  readonly lines: string[];
  /** Resolves with the next line that matches, from now on. */
  next(pattern: RegExp): Promise<string>;
}

export function createRecordedLog(): RecordedLog {
  const waiting = new Set<{ readonly pattern: RegExp; readonly resolve: (line: string) => void }>();
  const lines: string[] = [];
  const write = (level: string) => (line: string) => {
    lines.push(`${level}: ${line}`);
    for (const entry of waiting) {
      if (!entry.pattern.test(line)) continue;
      waiting.delete(entry);
      entry.resolve(line);
    }
  };
  return {
    lines,
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    next: (pattern) => new Promise((resolve) => waiting.add({ pattern, resolve })),
  };
}
