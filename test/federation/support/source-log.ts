import type { SourceLog } from '../../../src/federation/source/supergraph-source';

export interface RecordedLog extends SourceLog {
  /** `level: line` */
  readonly lines: string[];
}

export function createRecordedLog(): RecordedLog {
  const lines: string[] = [];
  const write = (level: string) => (line: string) => void lines.push(`${level}: ${line}`);
  return { lines, info: write('info'), warn: write('warn'), error: write('error') };
}
