import type { ExportFormat, ExportTable } from '../rows/export-tables';
import type { CsvType } from './csv-table';
import { csvColumnsOf, ownerColumn, toCell, toRow } from './csv-table';
import type { GoogleOptions } from './export-google';
import { exportGoogle } from './export-google';
import type { ExportSource } from './export-shop';
import { exportLines, exportShop } from './export-shop';

interface CsvOptions {
  readonly type: CsvType;
  /** Whether the file starts with a byte order mark, so that Excel recognizes UTF-8. */
  readonly hasBom: boolean;
  /** Whether cells that a spreadsheet could run as formulas are prefixed with an apostrophe. */
  readonly escapesFormulas: boolean;
}

/** The export format: NDJSON of some tables, one table as CSV, or a product feed. */
export type ExportShape =
  | { readonly tables: readonly ExportTable[]; readonly format: ExportFormat }
  | { readonly csv: CsvOptions }
  | { readonly google: GoogleOptions };

/** @throws as `exportShop` */
export function startExport(request: ExportSource, shape: ExportShape): AsyncGenerator<Buffer, void, void> {
  if ('csv' in shape) return exportCsv(request, shape.csv);
  return 'google' in shape ? exportGoogle(request, shape.google) : exportShop({ ...request, ...shape });
}

type Line = Readonly<Record<string, unknown>> & { readonly type: string };

const byteOrderMark = '\ufeff';

/**
 * One table of a shop as CSV, from one snapshot: the lines of the export, as rows. There is no line that marks the end:
 * an export that fails closes its connection.
 */
async function* exportCsv(
  request: ExportSource,
  { type, hasBom, escapesFormulas }: CsvOptions,
): AsyncGenerator<Buffer, void, void> {
  const columns = csvColumnsOf(type);
  const tables = [type === 'variants' ? ('products' as const) : type];
  // Nothing is sent before the export has begun, so that errors get a proper response.
  let head = (hasBom ? byteOrderMark : '') + toRow(columns.map(({ name }) => name));
  // The lines of a product's variants follow its own.
  let owner: unknown;
  for await (const lines of exportLines({ ...request, tables, format: 'jsonl' })) {
    let rows = head;
    head = '';
    for (const line of lines as readonly Line[]) {
      if (line.type === 'product') owner = line['external_id'];
      if (`${line.type}s` !== type) continue;
      rows += toRow(
        columns.map((column) =>
          toCell(column, column.name === ownerColumn ? owner : line[column.name], escapesFormulas),
        ),
      );
    }
    if (rows !== '') yield Buffer.from(rows);
  }
}
