import { Prisma } from '../../database/generated/client';
import { holdsNul, isUuid } from './condition';

/** What a list is sorted by, ties broken by id. It is never null, and leads an index behind shop_id. */
export interface SortKey {
  /** A column, or an expression over columns of `t`. */
  readonly column: string;
  readonly type: 'timestamptz' | 'numeric' | 'bigint' | 'text' | 'uuid';
  /** The member of a row that says its value. */
  readonly member: string;
  /** What the column holds for a row whose member is null: the value that sorts last. */
  readonly nullAs?: 'infinity' | typeof lastBigint;
  /** The column is no member of the rows and must be read beside them. */
  readonly isExtra?: boolean;
}

/** Behind every whole number that a column holds. */
export const lastBigint = '9223372036854775807';

/** A list of one table: which rows, in which order. */
export interface ShopList {
  readonly where: readonly Prisma.Sql[];
  readonly sort: SortKey;
  /** The same list from its end. */
  readonly reverse: boolean;
  readonly path: ListPath;
}

/**
 * How the rows of a list are found: by a walk along an index in the order of the list, holding each row against the rest of the
 * filter. A walk that does not meet enough of them soon is given up. Then a range of the filter that holds few rows is read as a whole
 * (docs/decisions.md 53); where there is none, all rows are searched for, which are few then, and sorted (docs/decisions.md 26).
 */
export interface ListPath {
  /** Conditions that the index of the walk answers: every row met meets them. */
  readonly along: readonly Prisma.Sql[];
  /** What the walk must look at in each row. */
  readonly rest: readonly Prisma.Sql[];
  /** The moment before which all of the list was created, if the filter names one. */
  readonly createdBefore?: string | undefined;
  /** The walk goes along the products of this tag. */
  readonly tag?: string | undefined;
  /** Conditions that lead to the rows wherever they are, beside those of the list; unset where nothing but walks does. */
  readonly search?: readonly Prisma.Sql[];
  /** Ranges of values that the filter names one by one. They are read as a whole before any walk, unless a value is on too many rows. */
  readonly named?: readonly RangePath[];
  /** Ranges of the filter whose rows can be read along indexes of their own, those first that tend to hold the fewest. */
  readonly ranges: readonly RangePath[];
  /** The list names its rows: these are looked at and no others. */
  readonly lookUp?: RangePath | undefined;
}

/** The rows of a range and perhaps some more, none of them twice: those of one stretch of an index, or of several. */
export type RangePath = readonly IndexStretch[];

export interface IndexStretch {
  /** Rows of another source, of the same shop; there is a stretch for each. */
  readonly forEach?: (shop: Prisma.Sql) => Prisma.Sql;
  readonly where: readonly Prisma.Sql[];
  /**
   * The order of the index behind its columns that `where` compares with one value: columns, or expressions over columns of `t`. No other
   * index has it, so the planner takes this one.
   */
  readonly order: readonly string[];
}

/** A column of the rows `t` in SQL. Names are constants of our own; expressions come with the alias already. */
export const columnOf = (name: string): string => (name.includes('.') ? name : `t.${name}`);

/** The range as a path, if it has a bound at all. */
export const toRange = (where: readonly Prisma.Sql[], order: readonly string[]): readonly RangePath[] =>
  where.length === 0 ? [] : [[{ where, order }]];

export const uuidsAmong = (ids: readonly string[]): string[] => ids.filter(isUuid);

/** What a filter names rows by. */
interface NamingFilter {
  readonly ids?: readonly string[] | null;
  readonly externalIds?: readonly string[] | null;
}

/** The path to rows that the filter names, if it names any: one by one, each by its key, whatever the planner thinks of the list. */
export function toLookUp({ ids, externalIds }: NamingFilter): RangePath | undefined {
  if (ids) return toEach(Prisma.sql`${uuidsAmong(ids)}::uuid[]`, 'id');
  if (externalIds) return toEach(Prisma.sql`${externalIds.filter((id) => !holdsNul(id))}::text[]`, 'external_id');
  return undefined;
}

/** The rows with each of the values, which an index has in the order of creation or once. @param values An array in SQL */
export const toEach = (values: Prisma.Sql, column: string, order: string | readonly string[] = column): RangePath => [
  {
    forEach: () => Prisma.sql`(SELECT DISTINCT value FROM unnest(${values}) AS given (value)) AS given`,
    where: [Prisma.sql`t.${Prisma.raw(column)} = given.value`],
    order: typeof order === 'string' ? [order] : order,
  },
];

/** As indexes hold a text that may be too long for them, in any language's order. */
export const cutText = (column: string): string => `("left"(${column}, 500)) COLLATE "C"`;

/** Each of the texts, once, as `given.value`. @param cut As an index of cut texts holds them */
export const eachText = (texts: readonly string[], { cut = false } = {}): Prisma.Sql =>
  Prisma.sql`(SELECT DISTINCT ${Prisma.raw(cut ? 'left(value, 500)' : 'value')} AS value
                FROM unnest(${texts.filter((text) => !holdsNul(text))}::text[]) AS given (value)) AS given`;

/** Not `=`: an equality would make the order meaningless, and with it the choice of the index. */
export const isGivenText = (column: string): Prisma.Sql =>
  Prisma.sql`${Prisma.raw(column)} >= given.value AND ${Prisma.raw(column)} <= given.value`;

/** The rows that have one of the texts in a column, along the index of cut texts; with more of the same first 500 characters. */
export const toEachCutText = (column: string, texts: readonly string[] | null | undefined): readonly RangePath[] =>
  texts ? [[toTextStretch(cutText(`t.${column}`), eachText(texts, { cut: true }))]] : [];

/** The same along an index that holds the texts whole. */
export const toEachText = (column: string, texts: readonly string[] | null | undefined): readonly RangePath[] =>
  texts ? [[toTextStretch(`t.${column}`, eachText(texts))]] : [];

const toTextStretch = (column: string, texts: Prisma.Sql): IndexStretch => ({
  forEach: () => texts,
  where: [isGivenText(column)],
  order: [column],
});
