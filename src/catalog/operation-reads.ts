import { getHeapStatistics } from 'node:v8';
import { CallerLedger } from '../common/caller-ledger';
import type { Sql } from '../database/sql';
import { fence, joinSql, rawSql, sql } from '../database/sql';
import { ApiError } from '../errors/api-error';

/**
 * What the rows of all operations in progress may take together, from the moment they were read until the answer is
 * made: an eighth of the heap, because objects and texts made from rows take several times as much.
 */
export const maximumRowBytesInMemory = getHeapStatistics().heap_size_limit / 8;

/** Smaller reads are not counted: as many as fit into a process take less than one answer. */
const leastBytes = 64 * 1024;

const rowsInMemory = new CallerLedger();

/**
 * The memory of one operation. When operations together have read more than there is room for, the shop that holds most
 * loses the largest of its own.
 */
export class OperationMemory {
  readonly #shopId: string;
  readonly #onGiveWay: (error: ApiError) => void;
  #releases: (() => void)[] = [];

  /** @param onGiveWay Ends the operation with this error. */
  constructor(shopId: string, onGiveWay: (error: ApiError) => void) {
    this.#shopId = shopId;
    this.#onGiveWay = onGiveWay;
  }

  /** Counts what was read, until the release. */
  hold(bytes: number): void {
    if (bytes < leastBytes) return;
    this.#releases.push(
      rowsInMemory.hold({
        caller: () => this.#shopId,
        amount: bytes,
        burden: () => bytes,
        giveWay: () => {
          this.release();
          this.#onGiveWay(createError());
        },
      }),
    );
    while (rowsInMemory.total > maximumRowBytesInMemory && rowsInMemory.evict() > 0);
  }

  release(): void {
    for (const release of this.#releases) release();
    this.#releases = [];
  }
}

const createError = (): ApiError =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    'Too many large responses are in progress. Try again in a moment, or request less data.',
    {
      headers: { 'Retry-After': '1' },
    },
  );

/**
 * The maximum size of the rows of one answer as JSON text in UTF-8, and of an answer made from them (docs/decisions.md
 * 41). Two rows of any table fit in it (model.ts).
 */
export const maximumAnswerBytes = 8 * 1024 * 1024;

/** Room for what an answer has beside the rows of its pages: names, cursors, counts. */
const bytesBesideRows = 256 * 1024;

/**
 * The maximum size of a row as JSON text, in which some characters take more bytes than in a column. Two fit in one
 * answer: a page of one row reads a second, to determine whether there is one.
 */
export const maximumRowBytes = maximumAnswerBytes / 2;

/**
 * The most bytes that each page of an operation has, unless its first row alone is larger: further rows are left to the
 * next page. The fields of the operation that read rows have equal shares, so that a page does not depend on what the
 * others happened to find.
 * @param reads The number of these fields.
 */
export const toPageBytes = (reads: number): number =>
  Math.floor((maximumAnswerBytes - bytesBesideRows) / Math.max(1, reads));

/**
 * Thrown when more was requested than one answer may hold, and it cannot be a shorter page. It ends the whole
 * operation, not only the field: the data read so far is as large.
 */
export class AnswerTooLargeError extends ApiError {
  constructor(what = 'The response is', remedy = 'Request less data: a smaller first or last, or fewer fields') {
    super(
      'ANSWER_TOO_LARGE',
      `${what} larger than ${maximumAnswerBytes} bytes, the maximum size of a response. ${remedy}.`,
      {
        internal: 'limit: answer bytes',
      },
    );
  }
}

/** Thrown for a product that no answer has room for beside its variants. */
export class ProductTooLargeError extends AnswerTooLargeError {
  constructor() {
    super('The product and its variants are', 'Page through the variants with variantConnection');
  }
}

/** Whether a statement has returned an empty text instead of rows, because they are too large. No row is empty. */
export const isTooLarge = (texts: readonly string[]): boolean => texts[0] === '';

/** Whether rows end with an empty one: further ones did not fit. */
export const isShortened = (rows: readonly string[]): boolean => rows.length > 1 && rows.at(-1) === '';

/** Rows as one text: for the driver, the number of values costs more than their size. */
export interface RowsAsText {
  /** A statement that reads the given columns. */
  readonly rows: Sql;
  /** Its columns: JSON texts. */
  readonly columns: readonly string[];
}

/** The separators of columns and rows, which JSON text never contains, because it escapes control characters. */
export const columnSeparator = '\x1f';
export const rowSeparator = '\x1e';
export const toSqlLiteral = (separator: string): Sql => rawSql(`E'\\x${separator.charCodeAt(0).toString(16)}'`);
const rowEnd = toSqlLiteral(rowSeparator);

const toText = (columns: readonly string[]): Sql =>
  joinSql(
    columns.map((column) => rawSql(column)),
    ` || ${toSqlLiteral(columnSeparator).text} || `,
  );
const toBytes = (columns: readonly string[]): Sql =>
  rawSql(columns.map((column) => `octet_length(${column})`).join(' + '));

/**
 * The rows of a page, or an empty text when one of them is null or larger than its equal share. `toShortenedText` then
 * decides how many of them there is room for. A page rarely needs it, and this check costs almost nothing.
 * @param most The bytes of the page.
 * @param count The most rows that the statement returns.
 */
export function toPageText({ rows, columns }: RowsAsText, most: number, count: number): Sql {
  const share = sql`${Math.floor(most / Math.max(1, count))}::integer`;
  const bytes = toBytes(columns);
  return sql`
    SELECT CASE WHEN bool_or((${bytes} <= ${share}) IS NOT TRUE) THEN '' ELSE string_agg(CASE WHEN ${bytes} <= ${share} THEN ${toText(columns)} END, ${rowEnd}) END
      FROM (${rows}) AS found`;
}

/**
 * The first rows of a page that have room, always including the very first, and an empty one where further rows have
 * none; or an empty text when the first row alone is larger than an answer.
 */
export function toShortenedText({ rows, columns }: RowsAsText, most: number): Sql {
  const fits = sql`(ordinal = 1 OR bytes <= ${most}::integer)`;
  return sql`
    SELECT CASE WHEN bool_or(ordinal = 1 AND bytes > ${maximumAnswerBytes}::integer) THEN ''
                ELSE string_agg(${toText(columns)}, ${rowEnd}) FILTER (WHERE ${fits}) || CASE WHEN bool_and(${fits}) THEN '' ELSE ${rowEnd} END END
      FROM (SELECT found.*, row_number() OVER () AS ordinal, sum(${toBytes(columns)}) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
              FROM (${rows}) AS found) AS sized`;
}

/**
 * Any number of rows, or an empty text when together they exceed the limit. PostgreSQL adds nothing to the text beyond
 * the limit, so its memory is limited too.
 */
export function toBoundedText({ rows, columns }: RowsAsText): Sql {
  const limit = sql`${maximumAnswerBytes}::integer`;
  return sql`
    SELECT CASE WHEN max(bytes) > ${limit} THEN '' ELSE string_agg(${toText(columns)}, ${rowEnd}) FILTER (WHERE bytes <= ${limit}) END
      FROM (SELECT found.*, sum(${toBytes(columns)}) OVER (ROWS UNBOUNDED PRECEDING) AS bytes FROM (${rows}) AS found) AS sized`;
}

/** Whether the text has more bytes than the driver converts in less than a millisecond. */
const isLong = rawSql(`octet_length(found.text) > ${256 * 1024}`);

/**
 * A statement of one row: the version and the value. When the value is long, each part between its row separators is a
 * row instead, because the driver converts each value in one piece (docs/decisions.md 67).
 */
export const toRowsIfLong = (version: Sql, value: Sql): Sql => sql`
    SELECT found.version, part.text
      FROM (SELECT ${version} AS version, (${value}) AS text ${fence}) AS found
     CROSS JOIN LATERAL (
           SELECT found.text WHERE (${isLong}) IS NOT TRUE
            UNION ALL
           SELECT string_to_table(found.text, ${rowEnd}) WHERE ${isLong}) AS part`;

/**
 * The length of a value that is serialized as JSON, as far as that can be determined without serializing it: counts its
 * texts and names, unescaped. Rows that are read once may appear many times: by aliases, by repeated ids, by the
 * product of each of its variants. Stops when the length exceeds the limit of an answer.
 * @param lengthOf The length of a part that is JSON text already.
 */
export function estimateLength(value: unknown, lengthOf: (part: object) => number | undefined): number {
  let left = maximumAnswerBytes;
  const count = (part: unknown): void => {
    if (typeof part === 'string') left -= part.length + 2;
    else if (typeof part !== 'object' || part === null) left -= 4;
    else if (Array.isArray(part)) {
      for (let index = 0; index < part.length && left >= 0; index += 1) count(part[index]);
    } else {
      const length = lengthOf(part);
      if (length !== undefined) {
        left -= length;
        return;
      }
      for (const name in part) {
        if (left < 0) return;
        left -= name.length + 4;
        count((part as Record<string, unknown>)[name]);
      }
    }
  };
  count(value);
  return maximumAnswerBytes - left;
}

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
   * The version that everything was read in.
   * @param unread The result when nothing was read.
   * @returns undefined when a write was committed between two reads
   */
  common(unread: string): string | undefined {
    const [version = unread, ...others] = this.#versions;
    return others.length === 0 ? version : undefined;
  }
}
