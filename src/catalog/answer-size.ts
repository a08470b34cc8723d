import { Prisma } from '../database/generated/client';
import { ApiError } from '../errors/api-error';

/**
 * The maximum size of the rows of one answer as JSON text in UTF-8, and of an answer made from them (docs/decisions.md 41). Two rows of any
 * table fit in it (model.ts).
 */
export const maximumAnswerBytes = 8 * 1024 * 1024;

/**
 * The maximum size of a row as JSON text, in which some characters take more bytes than in a column. Two fit in one answer: a page of one
 * row reads a second, to determine whether there is one.
 */
export const maximumRowBytes = maximumAnswerBytes / 2;

/**
 * Thrown when more was requested than one answer may hold. It ends the whole operation, not only the field: the data read so far is as
 * large.
 */
export class AnswerTooLargeError extends ApiError {
  constructor(what = 'The answer is', remedy = 'Ask for less at once: a smaller limit (first, last), or fewer fields') {
    super(
      'BAD_USER_INPUT',
      `${what} larger than ${maximumAnswerBytes} bytes, the most that one answer may hold. ${remedy}.`,
      {
        internal: 'limit: answer bytes',
      },
    );
  }
}

/** Whether a statement has returned an empty text instead of rows, because they are too large. No row is empty. */
export const isTooLarge = (texts: readonly string[]): boolean => texts[0] === '';

/** Rows as one text: for the driver, the number of values costs more than their size. */
export interface RowsAsText {
  /** A statement that reads the given columns. */
  readonly rows: Prisma.Sql;
  /** Its columns: JSON texts, never null. */
  readonly columns: readonly string[];
}

/** The separators of columns and rows, which JSON text never contains, because it escapes control characters. */
export const columnSeparator = '\x1f';
export const rowSeparator = '\x1e';

const toText = (columns: readonly string[]): Prisma.Sql => Prisma.raw(columns.join(` || E'\\x1f' || `));
const toBytes = (columns: readonly string[]): Prisma.Sql =>
  Prisma.raw(columns.map((column) => `octet_length(${column})`).join(' + '));

/**
 * The rows of a page, or an empty text when one of them is larger than its equal share. Only the other statement can then decide whether all
 * of them together are too large. A page rarely needs it, and this check costs almost nothing.
 */
export function toPageText({ rows, columns }: RowsAsText, count: number): Prisma.Sql {
  const share = Prisma.sql`${Math.floor(maximumAnswerBytes / count)}::integer`;
  const bytes = toBytes(columns);
  return Prisma.sql`
    SELECT CASE WHEN bool_or(${bytes} > ${share}) THEN '' ELSE string_agg(CASE WHEN ${bytes} <= ${share} THEN ${toText(columns)} END, E'\\x1e') END
      FROM (${rows}) AS found`;
}

/**
 * Any number of rows, or an empty text when together they exceed the limit. PostgreSQL adds nothing to the text beyond the limit, so its
 * memory is limited too.
 */
export function toBoundedText({ rows, columns }: RowsAsText): Prisma.Sql {
  const limit = Prisma.sql`${maximumAnswerBytes}::integer`;
  return Prisma.sql`
    SELECT CASE WHEN max(bytes) > ${limit} THEN '' ELSE string_agg(${toText(columns)}, E'\\x1e') FILTER (WHERE bytes <= ${limit}) END
      FROM (SELECT found.*, sum(${toBytes(columns)}) OVER (ROWS UNBOUNDED PRECEDING) AS bytes FROM (${rows}) AS found) AS sized`;
}

/** Whether the text has more bytes than the driver converts in less than a millisecond. */
const isLong = Prisma.raw(`octet_length(found.text) > ${256 * 1024}`);

/**
 * A statement of one row: the version and the value. When the value is long, each part between its row separators is a row instead,
 * because the driver converts each value in one piece (docs/decisions.md 119).
 */
export const toRowsIfLong = (version: Prisma.Sql, value: Prisma.Sql): Prisma.Sql => Prisma.sql`
    SELECT found.version, part.text
      FROM (SELECT ${version} AS version, (${value}) AS text OFFSET 0) AS found
     CROSS JOIN LATERAL (
           SELECT found.text WHERE (${isLong}) IS NOT TRUE
            UNION ALL
           SELECT string_to_table(found.text, E'\\x1e') WHERE ${isLong}) AS part`;

/**
 * The length of a value that is serialized as JSON, as far as that can be determined without serializing it: counts its texts and names,
 * unescaped. Rows that are read once may appear many times: by aliases, by repeated ids, by the product of each of its variants. Stops when
 * the length exceeds the limit of an answer.
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
