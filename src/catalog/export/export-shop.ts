import type { HistoryAnswer } from '../rows/feed-rows';
import type { ExportFormat, ExportTable } from '../rows/export-tables';
import { exportTables } from '../rows/export-tables';
import {
  continuationMark,
  ExportStatements,
  lineStart,
  tablesReadFor,
  tryToLockExports,
} from '../rows/export-statement';
import { redactJson } from '../rows/redaction';
import { columnsOf } from '../model';
import type { ShopTable } from '../rows/shop-tables';
import { shopTables } from '../rows/shop-tables';
import { columnSeparator, streamSnapshot } from '../../database/snapshot-stream';
import { ApiError } from '../../errors/api-error';
import { yieldToLoop } from '../../common/fair-queue';
import type { CursorCodec } from '../../relay/connection';
import { sealEndOfSnapshot } from '../change/change-position';

export interface ExportRequest {
  /** The database URL. */
  readonly url: string;
  readonly shopId: string;
  readonly cursors: CursorCodec;
  readonly tables: readonly ExportTable[];
  readonly format: ExportFormat;
  /** Whether the first line describes the shop beyond its id. */
  readonly describesShop: boolean;
  /** Whether it fails while another exclusive export of the shop runs, in any process. */
  readonly isExclusive?: boolean;
  readonly connectionTimeoutMilliseconds?: number;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
}

/** In products, collections and orders: variants are not counted. */
export interface ExportProgress {
  readonly rows: number;
  readonly rowsTotal: number;
}

/** One hour, also for slow clients: VACUUM cannot remove old rows while the snapshot is open. */
const timeoutMilliseconds = 60 * 60_000;

/** The application_name of an export in pg_stat_activity. */
const exportApplicationName = 'catalog export';

/**
 * Streams a shop as NDJSON from one snapshot: a line for the shop with the version and the cursor of the change feed, a
 * line per object, and a line with the counts, without which the export is incomplete. The server and PostgreSQL wait
 * for the reader.
 * @throws ApiError RATE_LIMITED while another exclusive export of the shop runs; NOT_FOUND if the shop is gone
 */
export function exportShop(request: ExportRequest): AsyncGenerator<Buffer, void, void> {
  const { shopId, cursors, tables, format, describesShop, isExclusive, onProgress } = request;
  const { url, signal, connectionTimeoutMilliseconds = 10_000 } = request;
  const limits = { signal, connectionTimeoutMilliseconds, timeoutMilliseconds };
  const options = { ...limits, url, shopId, applicationName: exportApplicationName, tables: tablesReadFor(tables) };
  return streamSnapshot(options, async function* (snapshot) {
    if (isExclusive === true && (await snapshot.readValue(tryToLockExports(shopId))) !== 'true')
      throw createBusyError();
    const statements = new ExportStatements(shopId);
    const header = await snapshot.readValue(statements.header());
    if (header === null) throw new ApiError('NOT_FOUND', 'The shop no longer exists.');
    const [version, history, productCount, shop] = JSON.parse(header) as [string, HistoryAnswer, number, object];
    const described = describesShop ? shop : { id: shopId };
    const cursor = sealEndOfSnapshot(cursors, shopId, history, version);
    const facts = { export: format, types: tables, version, changes_cursor: cursor };
    yield toLine({ type: 'shop', ...described, ...facts });

    // Counting reads the tables, so it is skipped when nobody shows progress.
    let rowsTotal = 0;
    for (const table of onProgress === undefined ? [] : tables) {
      rowsTotal += table === 'products' ? productCount : Number(await snapshot.readValue(statements.count(table)));
    }
    let rows = 0;
    // For the last line, which shows that the export is complete.
    const counts = { products: 0, variants: 0, collections: 0, orders: 0 };
    for (const table of exportTables.filter((each) => tables.includes(each))) {
      const lines = new LineReader(table);
      for await (const chunk of snapshot.copyOut(statements.rows(table, format))) {
        // Each chunk gets its own turn, so that other requests wait for one chunk at most.
        await yieldToLoop(shopId);
        const text = lines.read(chunk);
        // In jsonl a variant is a line of its own, but not an object of the table.
        counts[table] = lines.rows - (format === 'jsonl' ? lines.variants : 0);
        onProgress?.({ rows: rows + counts[table], rowsTotal });
        if (text.length > 0) yield text;
      }
      rows += counts[table];
      counts.variants += lines.variants;
    }
    yield toLine({ type: 'complete', ...counts });
  });
}

/** Everything but the tables and the format, which CSV and Google exports choose themselves. */
export type ExportSource = Omit<ExportRequest, 'tables' | 'format'>;

/** Parses an export while it streams: yields the objects of the lines that each chunk completes. */
export async function* exportLines(request: ExportRequest): AsyncGenerator<readonly unknown[], void, void> {
  let rest = '';
  for await (const chunk of exportShop(request)) {
    const lines = `${rest}${chunk.toString()}`.split('\n');
    rest = lines.pop() ?? '';
    yield lines.map((line): unknown => JSON.parse(line));
  }
}

const toLine = (object: object): Buffer => Buffer.from(`${JSON.stringify(object)}\n`);

/** The error while an exclusive export of the shop is already running. */
export const createBusyError = (): ApiError =>
  new ApiError(
    'RATE_LIMITED',
    'Only one export of a shop can run at a time, and one is already running. Wait until it has finished.',
    {
      headers: { 'Retry-After': '10' },
    },
  );

const lineBreak = 0x0a;

/**
 * Converts the rows of COPY to lines: adds up and removes the second column (the number of variants in the row),
 * and redacts data that must not leave the service (D25).
 */
class LineReader {
  rows = 0;
  variants = 0;
  /** The beginning of a row that the next chunk continues. */
  #rest: Buffer[] = [];

  constructor(private readonly table: ExportTable) {}

  /** The lines that this chunk completes. */
  read(chunk: Buffer): Buffer {
    const end = chunk.lastIndexOf(lineBreak) + 1;
    if (end === 0) {
      this.#rest.push(chunk);
      return Buffer.alloc(0);
    }
    const rows = Buffer.concat([...this.#rest, chunk.subarray(0, end)]);
    this.#rest = end < chunk.length ? [chunk.subarray(end)] : [];
    return this.#redact(this.#removeCounts(rows));
  }

  /** Moves the lines together in place, without the counts and without the line breaks of rows that continue. */
  #removeCounts(rows: Buffer): Buffer {
    let from = 0;
    let to = 0;
    while (from < rows.length) {
      // `[from, separator)` is the line; its count is between `separator` and `end`.
      const separator = rows.indexOf(columnSeparator, from);
      const end = rows.indexOf(lineBreak, separator);
      const variants = rows.toString('latin1', separator + 1, end);
      rows.copyWithin(to, from, separator);
      to += separator - from;
      this.variants += parseInt(variants, 10);
      if (!variants.endsWith(continuationMark)) {
        rows[to] = lineBreak;
        to += 1;
        this.rows += 1;
      }
      from = end + 1;
    }
    return rows.subarray(0, to);
  }

  #redact(lines: Buffer): Buffer {
    const { redaction } = shopTables[this.table] as ShopTable;
    if (redaction === undefined) return lines;
    const text = lines.toString();
    if (!redaction.isNeeded(text)) return lines;
    // The start with the type is removed for redactJson, which keeps columns only.
    const start = lineStart(this.table);
    const columns = columnsOf(this.table);
    const redacted = text.split('\n').map((line) => {
      if (line === '' || !redaction.isNeeded(line)) return line;
      const { id } = JSON.parse(line) as { id: string };
      return start + redactJson(redaction, `{${line.slice(start.length)}`, columns, id).slice(1);
    });
    return Buffer.from(redacted.join('\n'));
  }
}
