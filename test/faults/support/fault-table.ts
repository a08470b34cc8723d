import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A line of the table in docs/operations.md. */
export interface FaultRow {
  readonly fault: string;
  readonly load: string;
  readonly promise: string;
  readonly measured: string;
  readonly isKept: boolean;
}

const document = join(__dirname, '../../../docs/operations.md');

/** Puts the rows in place of those that stand there. */
export async function writeFaultTable(rows: readonly FaultRow[]): Promise<void> {
  const lines = [
    '| fault | load | promise | measured | verdict |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map(
      ({ fault, load, promise, measured, isKept }) =>
        `| ${[fault, load, promise, measured, isKept ? 'kept' : '**broken**'].join(' | ')} |`,
    ),
  ];
  const text = readFileSync(document, 'utf8');
  const table = `<!-- faults: written by npm run faults -->\n\n${lines.join('\n')}\n\n<!-- /faults -->`;
  const filled = text.replace(/<!-- faults:[\s\S]*<!-- \/faults -->/, () => table);
  const { format, resolveConfig } = await import('prettier');
  writeFileSync(document, await format(filled, { ...(await resolveConfig(document)), filepath: document }));
}
