import { getHeapStatistics } from 'node:v8';
import { CallerLedger } from '../../common/caller-ledger';
import { ApiError } from '../../errors/api-error';
import { WorkPauses } from '../../common/fair-queue';
import type { Cancellation } from '../../common/cancellation';
import type { Database, ShopVersion } from '../../database/database';
import type { Sql } from '../../database/sql';
import { joinSql, rawSql, sql } from '../../database/sql';
import type { KeysetSection } from '../../relay/connection';
import type { RowsAsText } from './page-statement';
import { AnswerTooLargeError, maximumAnswerBytes } from '../answer-size';
import { columnSeparator, isTooLarge, toShortenedText } from './page-statement';
import { dataVersionOf } from './page-statement';
import type { LargeProduct } from './large-product';
import { openLargeProduct } from './large-product';
import type { ProductJsonReader } from './product-json';
import { redactRow, type Redaction } from './redaction';
import { shopTables, type ShopTable, type ShopTableName } from './shop-tables';

/** The source of the rows of all shops. */
export interface RowSource {
  readonly database: Database;
  readonly readProduct: ProductJsonReader;
}

export interface StatementOptions {
  readonly cancellation?: Cancellation | undefined;
  /** Collects the version of each statement's snapshot. */
  readonly versions?: VersionsRead;
  readonly pauses?: WorkPauses;
  /** Counts what is read. */
  readonly memory?: OperationMemory;
  /** Maximum size of each page, in bytes. */
  readonly pageBytes?: number;
}

/**
 * Sends the statements of one operation about one shop, and counts what they read. Its users (ShopRows and its parts)
 * put the shop into each statement; resolvers never get it.
 */
export class ShopStatements {
  readonly #source: RowSource;
  readonly #at: ShopVersion;
  /** The shop's id in SQL. */
  readonly shop: Sql;
  readonly #cancellation: Cancellation | undefined;
  readonly #versions: VersionsRead;
  readonly #pauses: WorkPauses;
  readonly #memory: OperationMemory | undefined;
  readonly pageBytes: number;
  /** The size of the rows read so far, as JSON text. */
  #bytes = 0;

  constructor(
    source: RowSource,
    at: ShopVersion,
    {
      cancellation,
      versions = new VersionsRead(),
      pauses = new WorkPauses(at.shopId),
      memory,
      pageBytes = toPageBytes(1),
    }: StatementOptions = {},
  ) {
    this.#source = source;
    this.#at = at;
    this.shop = sql`${at.shopId}::uuid`;
    this.#cancellation = cancellation;
    this.#versions = versions;
    this.#pauses = pauses;
    this.#memory = memory;
    this.pageBytes = pageBytes;
  }

  /** Whether the shop's data had this version when the caller was authenticated. */
  isAtVersion(dataVersion: string): boolean {
    return this.#at.dataVersion === dataVersion;
  }

  /**
   * The JSON texts of a product and its variants, which concurrent requests share; empty when there is none. @throws
   * ProductTooLargeError
   */
  async readProduct(id: string): Promise<readonly string[]> {
    if (this.#bytes > maximumAnswerBytes) throw this.tooLarge();
    const { dataVersion, texts } = await this.#source.readProduct({ ...this.#at, id });
    this.#versions.add(dataVersion);
    await this.#countBytes(texts);
    return texts;
  }

  /** The same for a product that is too large for that, as a stream; null when there is none. */
  async openLargeProduct(id: string): Promise<LargeProduct | null> {
    const product = await openLargeProduct(this.#source.database.url, { ...this.#at, id });
    if (product !== null) this.#versions.add(product.dataVersion);
    return product;
  }

  /**
   * A row from the primary, not counted because no response contains it. It depends on the server's run, which changes
   * with a restart or failover although the data does not: no response derived from it is cached.
   */
  async readPrimary(statement: Sql): Promise<readonly unknown[] | undefined> {
    this.#versions.add('primary');
    const [row] = await this.#source.database.readRows(statement, this.#cancellation);
    return row;
  }

  /** Prisma queries, for data that is seldom read. They receive the shop's id. */
  readModels<Result>(read: (database: Pick<Database, 'prisma'>, shopId: string) => Promise<Result>): Promise<Result> {
    return read(this.#source.database, this.#at.shopId);
  }

  /** Subtracts texts that are going to be read again. */
  release(texts: readonly string[]): void {
    for (const { length } of texts) this.#bytes -= length;
  }

  /**
   * Converts rows, over several turns of the event loop if they are many, long or need redaction.
   * @param redaction Applied by `convert`.
   */
  async convertInPieces<Row>(
    rows: readonly OutputRow[],
    convert: (some: readonly OutputRow[]) => readonly Row[],
    redaction?: Redaction,
  ): Promise<readonly Row[]> {
    if (endOfPiece(rows, 0, redaction) === rows.length) return convert(rows);
    const converted: Row[] = [];
    for (let start = 0; start < rows.length;) {
      await this.#pauses.next();
      const end = endOfPiece(rows, start, redaction);
      converted.push(...convert(rows.slice(start, end)));
      start = end;
    }
    return converted;
  }

  /** @throws AnswerTooLargeError */
  async readBounded(rows: RowsAsText): Promise<readonly OutputRow[]> {
    return (await this.readVersioned(rows)).rows;
  }

  /** The same, with the version of the statement's snapshot. */
  async readVersioned(rows: RowsAsText): Promise<{ readonly version: string; readonly rows: readonly OutputRow[] }> {
    const { version, texts } = await this.readValue(toShortenedText(rows));
    if (isTooLarge(texts)) throw this.tooLarge();
    return { version, rows: splitColumns(rows, texts) };
  }

  /** The result of a statement of one short value; null when it has no rows. */
  async readText(value: Sql): Promise<string | null> {
    const [text = null] = await this.readTexts(value);
    return text;
  }

  /** The texts of a statement, without nulls. */
  async readTexts(value: Sql): Promise<readonly string[]> {
    return (await this.readValue(value)).texts;
  }

  /**
   * The same, beside the version of the statement's snapshot.
   * @throws AnswerTooLargeError when the operation has read too much, over all of its statements
   */
  async readValue(value: Sql): Promise<{ readonly version: string; readonly texts: readonly string[] }> {
    if (this.#bytes > maximumAnswerBytes) throw this.tooLarge();
    this.#pauses.check();
    const rows = await this.#source.database.readRows(
      sql`SELECT ${dataVersionOf(this.shop)} UNION ALL (${value})`,
      this.#cancellation,
      { shopId: this.#at.shopId, dataVersions: [this.#at.dataVersion] },
    );
    const [version, ...texts] = rows.flatMap(([text]) => text ?? []) as [string, ...string[]];
    this.#versions.add(version);
    await this.#countBytes(texts);
    return { version, texts };
  }

  /** @throws AnswerTooLargeError */
  async #countBytes(texts: readonly string[]): Promise<void> {
    let bytes = 0;
    for (const text of texts) bytes += text.length;
    this.#bytes += bytes;
    if (this.#bytes > maximumAnswerBytes) throw this.tooLarge();
    this.#memory?.hold(bytes);
    await this.#pauses.take(0);
  }

  /** Nothing more is read for the operation. */
  tooLarge(): AnswerTooLargeError {
    this.#bytes = Infinity;
    return new AnswerTooLargeError();
  }
}

/** The columns of every row, in any table. */
export interface ShopRow {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** @param outputs JSON texts */
export function toRowsAsText(outputs: readonly (string | Sql)[], toStatement: (outputs: Sql) => Sql): RowsAsText {
  const columns = outputs.map((_, index) => `output_${index}`);
  const named = outputs.map(
    (output, index) =>
      sql`${typeof output === 'string' ? rawSql(output) : output} AS ${rawSql(columns[index] as string)}`,
  );
  return { rows: toStatement(joinSql(named)), columns };
}

const splitColumns = ({ columns }: RowsAsText, rows: readonly string[]): readonly OutputRow[] =>
  columns.length === 1 ? rows.map((output) => [output]) : rows.map((each) => each.split(columnSeparator));

/** The rows of a page, up to the first that does not fit. */
export function toSection(of: RowsAsText, texts: readonly string[]): KeysetSection<OutputRow> {
  const fitting = texts.filter((text) => text !== '');
  return { items: splitColumns(of, fitting), isShortened: fitting.length < texts.length };
}

/** All rows in one text: that is parsed faster than each separately. */
const joinRows = (rows: readonly OutputRow[]): string => `[${rows.map(([json]) => json).join(',')}]`;

export function toObjects<Row extends ShopRow>(
  redaction: Redaction | undefined,
  columns: Readonly<Record<string, string>>,
  rows: readonly OutputRow[],
): readonly Row[] {
  const members = Object.keys(columns);
  const text = joinRows(rows);
  const objects = (JSON.parse(text) as unknown[][]).map((values) => toRow<Row>(members, values));
  return redaction?.isNeeded(text) ? objects.map((row) => redactRow(redaction, row)) : objects;
}

export const redactionOf = (table: ShopTableName): Redaction | undefined => (shopTables[table] as ShopTable).redaction;

function toRow<Row>(members: readonly string[], values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < members.length; index += 1) row[members[index] as string] = values[index];
  return row as Row;
}

/** A row as the requested JSON texts. */
export type OutputRow = readonly string[];

/** Parsing this much takes a millisecond or two. Rows of usual size have less in a page. */
const charactersPerPiece = 256 * 1024;
/** Searching a character for e-mail addresses takes as much CPU time as parsing this many: a turn handles 16 kB. */
const searchFactor = 16;

/**
 * The end index of the rows from `start` that are converted in one turn of the event loop.
 * @param redaction What is applied to them; rows that it has to inspect count more.
 */
export function endOfPiece(rows: readonly OutputRow[], start: number, redaction?: Redaction): number {
  let characters = 0;
  let end = start;
  while (end < rows.length && characters < charactersPerPiece) {
    for (const output of rows[end] as OutputRow)
      characters += output.length * (redaction?.isNeeded(output) === true ? searchFactor : 1);
    end += 1;
  }
  return end;
}

/**
 * The memory for rows of all operations in progress, from when they are read until the response is made: an eighth of
 * the heap, because objects and texts made from rows take several times as much.
 */
export const maximumRowBytesInMemory = getHeapStatistics().heap_size_limit / 8;

/** Smaller reads are not counted: as many as a process can have take less than one response. */
const leastBytes = 64 * 1024;

const rowsInMemory = new CallerLedger();

/**
 * The memory of one operation. When all operations together have read too much, the shop that holds most loses its
 * largest operation.
 */
export class OperationMemory {
  /** Undefined once the operation has ended: parts of it may still read. */
  #releases: (() => void)[] | undefined = [];

  /** @param onGiveWay Ends the operation with this error. */
  constructor(
    private readonly shopId: string,
    private readonly onGiveWay: (error: ApiError) => void,
  ) {}

  /** Counts what was read, until the release. */
  hold(bytes: number): void {
    if (bytes < leastBytes) return;
    this.#releases?.push(
      rowsInMemory.hold({
        caller: () => this.shopId,
        amount: bytes,
        burden: () => bytes,
        giveWay: () => {
          this.release();
          this.onGiveWay(createError());
        },
      }),
    );
    while (rowsInMemory.total > maximumRowBytesInMemory && rowsInMemory.evict() > 0);
  }

  release(): void {
    for (const release of this.#releases ?? []) release();
    this.#releases = undefined;
  }
}

const createError = (): ApiError =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    'Too many large responses are in progress. Try again in a moment, or request less data.',
  );

/** Reserved for other parts of a response than the rows of its pages: names, cursors, counts. */
const bytesBesideRows = 256 * 1024;

/**
 * The maximum size of each page of an operation in bytes, unless its first row alone is larger: further rows are left
 * to the next page. The fields of the operation that read rows have equal shares, so that a page does not depend on
 * what the others happened to find.
 * @param reads The number of these fields.
 */
export const toPageBytes = (reads: number): number =>
  Math.floor((maximumAnswerBytes - bytesBesideRows) / Math.max(1, reads));

/**
 * The versions of a shop's data that one operation has read. Each statement reports the version of its own snapshot:
 * after a write that commits between the read of the key and of a page, the page must not be cached under the version
 * that the key's read reported (docs/decisions.md 8).
 */
export class VersionsRead {
  readonly #versions = new Set<string>();

  add(version: string): void {
    this.#versions.add(version);
  }

  /**
   * The version in which everything was read.
   * @param unread The result when nothing was read.
   * @returns undefined when a write was committed between two reads
   */
  common(unread: string): string | undefined {
    const [version = unread, ...others] = this.#versions;
    return others.length === 0 ? version : undefined;
  }
}
