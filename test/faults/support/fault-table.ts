import { join } from 'node:path';
import { writeTable } from '../../support/markdown-table';

/** A row of the table in docs/operations.md. */
export interface FaultRow {
  readonly fault: string;
  readonly load: string;
  readonly promise: string;
  readonly measured: string;
  readonly isKept: boolean;
}

/** Replaces the existing rows of the table. */
export const writeFaultTable = (rows: readonly FaultRow[]): Promise<void> =>
  writeTable({
    document: join(__dirname, '../../../docs/operations.md'),
    name: 'faults',
    command: 'npm run faults',
    header: ['fault', 'load', 'promise', 'measured', 'verdict'],
    rows: rows.map(({ fault, load, promise, measured, isKept }) => [
      fault,
      load,
      promise,
      measured,
      isKept ? 'kept' : '**broken**',
    ]),
  });
