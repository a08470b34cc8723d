import type { Sql } from '../../database/sql';
import { sql, rawSql, emptySql, fence, joinSql } from '../../database/sql';
import type { DateTimeRange, DecimalRange, LongRange } from '../schema-inputs';
import { keptCharacters } from '../../database/sql-constants';

type Condition = Sql;

/** Whether a member of a filter restricts at all. */
export const isGiven = (value: unknown): boolean => value !== null && value !== undefined;

/** A condition that no row meets: lists with it are not read at all. */
export const noRow: Condition = sql`false`;

/**
 * No text in PostgreSQL contains a NUL character or an unpaired surrogate, so a filter with one matches nothing,
 * without an error (D4).
 */
export const isUnstorable = (text: string): boolean => text.includes('\0') || !text.isWellFormed();

export const onlyStorable = (texts: readonly string[]): string[] => texts.filter((text) => !isUnstorable(text));

/**
 * Column names here are our own constants, never a client's; those of another table than the list's include its alias.
 */
const column = (name: string): Sql => rawSql(columnOf(name));

/** Exact, case-sensitive comparison (D5); absent or null does not restrict. */
export function equals(name: string, value: string | null | undefined): Condition[] {
  if (value === null || value === undefined) return [];
  return [isUnstorable(value) ? noRow : sql`${column(name)} = ${value}::text`];
}

/** One of the values; an empty list matches nothing. */
export function whereAnyOf(name: string, values: readonly string[] | null | undefined): Condition[] {
  return values ? [unlessEmpty(onlyStorable(values), (given) => sql`${column(name)} = ANY (${given}::text[])`)] : [];
}

const unlessEmpty = (values: string[], toCondition: (values: string[]) => Condition): Condition =>
  values.length === 0 ? noRow : toCondition(values);

/** Canonical 36-character UUID, upper or lower case (D3). No object has any other text as its id. */
export const isUuid = (text: string): boolean => uuid.test(text);
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** One of the objects with these ids, or an object of one of them. */
export const whereAmong =
  (name: 'id' | 'product_id') =>
  (ids: readonly string[] | null | undefined): Condition[] =>
    ids ? [unlessEmpty(uuidsAmong(ids), (given) => sql`${column(name)} = ANY (${given}::uuid[])`)] : [];

/** Has all of the tags. */
export function whereAllTags(tags: readonly string[] | null | undefined): Condition[] {
  if (!tags || tags.length === 0) return [];
  return [tags.some(isUnstorable) ? noRow : sql`item.tags @> ${tags}::text[]`];
}

/** Has one of the tags. */
export const whereAnyTag = (tags: readonly string[] | null | undefined): Condition[] =>
  tags ? [unlessEmpty(onlyStorable(tags), (given) => sql`item.tags && ${given}::text[]`)] : [];

/** The SQL condition of each filter field. A schema field without a condition does not compile. */
export type ConditionsOf<Filter, Given extends unknown[] = []> = {
  readonly [Member in keyof Filter]-?: (value: Filter[Member], ...given: Given) => readonly Condition[];
};

/** The conditions of all members that a filter has, in the order of the members of `conditions`. */
export const toConditions = <Filter extends object, Given extends unknown[]>(
  conditions: ConditionsOf<Filter, Given>,
  filter: Filter,
  ...given: Given
): readonly Condition[] =>
  (Object.keys(conditions) as (keyof Filter)[]).flatMap((member) =>
    isGiven(filter[member]) ? conditions[member](filter[member], ...given) : [],
  );

/** A value as a list of one. */
export const one = (value: string | null | undefined): readonly string[] | null =>
  typeof value === 'string' ? [value] : null;

export function whereBetween(name: string, range: DateTimeRange | null | undefined): Condition[] {
  return [
    ...(range?.from ? [sql`${column(name)} >= ${range.from}::timestamptz`] : []),
    ...(range?.to ? [sql`${column(name)} < ${range.to}::timestamptz`] : []),
  ];
}

/**
 * Both bounds are inclusive. Decimals and integers are passed as text or numbers and compared exactly by PostgreSQL.
 */
export type NumberRange = DecimalRange | LongRange;

/**
 * @param highest The column compared with `min`, @param lowest the one compared with `max`: for a single number the
 * same.
 * @param type The type of the columns: a bound of another type is compared, but not looked up in an index.
 */
export function whereOverlaps(
  highest: string,
  lowest: string,
  range: NumberRange | null | undefined,
  type: 'numeric' | 'bigint' = 'numeric',
): Condition[] {
  const toBound = (bound: unknown) => sql`${String(bound)}::${rawSql(type)}`;
  const { min, max } = range ?? {};
  // Nothing overlaps a range that ends before it begins. Only PostgreSQL compares numbers of many digits exactly, but
  // Citus fails on some statements with a constant condition, so they have one in rare cases only.
  const mayBeEmpty = isGiven(min) && isGiven(max) && Number(min) >= Number(max);
  if (mayBeEmpty && Number(min) > Number(max)) return [noRow];
  return [
    ...(mayBeEmpty ? [sql`${toBound(min)} <= ${toBound(max)}`] : []),
    ...(isGiven(min) ? [sql`${column(highest)} >= ${toBound(min)}`] : []),
    ...(isGiven(max) ? [sql`${column(lowest)} <= ${toBound(max)}`] : []),
  ];
}

/** The same as `whereBetween`, through the index of lists: infinity stands for no date (D9). */
export function whereSortedBetween(name: string, range: DateTimeRange | null | undefined): Condition[] {
  const isDated = sql`${column(name)} < 'infinity'`;
  return [...whereBetween(name, range), ...(range?.from && !range.to ? [isDated] : [])];
}

/** The sort column of lists of orders and collections in order of their last change. */
export const updatedSort = "coalesce(item.updated_at, 'infinity'::timestamptz)";

/** The orders by date of collections and orders: those without a date last (D9). */
export const sortKeysByDate = {
  CREATED_AT: { column: 'sort_at', type: 'timestamptz', member: 'createdAt', nullAs: 'infinity' },
  UPDATED_AT: { column: updatedSort, type: 'timestamptz', member: 'updatedAt', nullAs: 'infinity' },
} as const satisfies Record<string, SortKey>;

/** The sort key of a list, ties broken by id. It is never null, and is the first column of an index after shop_id. */
export interface SortKey {
  /** A column, or an expression over columns of `item`. */
  readonly column: string;
  readonly type: 'timestamptz' | 'numeric' | 'bigint' | 'text' | 'uuid';
  /** The member of a row that contains its value. */
  readonly member: string;
  /** The content of the column for a row whose member is null: the value that sorts last. */
  readonly nullAs?: 'infinity' | typeof lastBigint;
  /** The column is not a member of the rows and must be read in addition. */
  readonly isExtra?: boolean;
}

/** Greater than every integer in a column. */
export const lastBigint = '9223372036854775807';

/** A list of one table: which rows, in which order. */
export interface ShopList {
  readonly where: readonly Sql[];
  readonly sort: SortKey;
  /** The same list in reverse. */
  readonly reverse: boolean;
  readonly path: ListPath;
  /** The best rows come first, whatever the sort key: each rank has the rows of those before it, the last all. */
  readonly ranks?: readonly Rank[] | undefined;
}

/** The rows that are among the best, as conditions and as candidates. */
export interface Rank {
  readonly where: readonly Sql[];
  readonly terms: RangePath;
}

/**
 * How the rows of a list are found. A range of the filter that contains very few rows is read completely. Otherwise an
 * index scan in list order checks each row against the filters, and is abandoned when it does not find enough of them
 * soon. Then a longer range is read, or a longer scan is tried; finally a search finds all rows, by terms if the
 * filter has any, and sorts them; lists without an index of terms are read whole (docs/decisions.md 26).
 */
export interface ListPath {
  /** Conditions that the index of the scan answers: every row in it meets them. */
  readonly indexConditions: readonly Sql[];
  /** The conditions that the scan must check on each row. */
  readonly filters: readonly Sql[];
  /** The timestamp before which all of the list was created, if the filter gives one. */
  readonly createdBefore?: string | undefined;
  /** The scan reads the products of this tag. */
  readonly tag?: string | undefined;
  /**
   * The rows that terms of the filter find, and perhaps some more; empty if it has no terms. Unset for lists without an
   * index of terms: the last way to find their rows is the whole list.
   */
  readonly terms?: RangePath;
  /**
   * Ranges of values that the filter lists individually. They are read completely before any scan, unless a value has
   * too many rows.
   */
  readonly listedRanges?: readonly RangePath[];
  /**
   * Ranges of the filter whose rows can be read through their own indexes, first those that tend to contain the fewest.
   */
  readonly ranges: readonly RangePath[];
  /** The filter lists the rows themselves: only they are checked. */
  readonly listed?: RangePath | undefined;
}

/** The rows of a range and perhaps some more, without repetitions: those of one section of an index, or of several. */
export type RangePath = readonly IndexSection[];

export interface IndexSection {
  /** Rows of another source, of the same shop; there is a section for each. */
  readonly forEach?: (shop: Sql) => Sql;
  readonly where: readonly Sql[];
  /**
   * The order of the index after the columns that `where` compares with one value: columns, or expressions over columns
   * of `item`. No other index has it, so the planner chooses this one.
   */
  readonly order: readonly string[];
}

/** A column of the rows `item` in SQL. Names are our own constants; expressions contain the alias already. */
export const columnOf = (name: string): string => (name.includes('.') ? name : `item.${name}`);

/** The range as a path, if it has any bound. */
export const toRange = (where: readonly Sql[], order: readonly string[]): readonly RangePath[] =>
  where.length === 0 ? [] : [[{ where, order }]];

export const uuidsAmong = (ids: readonly string[]): string[] => ids.filter(isUuid);

/** The values with which a filter identifies rows. */
interface ListingFilter {
  readonly ids?: readonly string[] | null;
  readonly externalIds?: readonly string[] | null;
}

/**
 * The path to rows that the filter lists, if it lists any: one by one, each by its key, whatever the planner estimates
 * for the list.
 */
export function toListed({ ids, externalIds }: ListingFilter): RangePath | undefined {
  if (ids) return toEach(sql`${uuidsAmong(ids)}::uuid[]`, 'id');
  if (externalIds) return toEach(sql`${onlyStorable(externalIds)}::text[]`, 'external_id');
  return undefined;
}

/**
 * The rows with each of the values. An index contains the rows of one value in order of creation, or each value once.
 * @param values An array in SQL
 */
export const toEach = (values: Sql, column: string, order: string | readonly string[] = column): RangePath => [
  {
    forEach: () => sql`(SELECT DISTINCT value FROM unnest(${values}) AS given (value)) AS given`,
    where: [sql`item.${rawSql(column)} = given.value`],
    order: typeof order === 'string' ? [order] : order,
  },
];

/** A text column truncated as in its index, compared independently of any language. */
export const cutText = (column: string): string => `("left"(${column}, ${keptCharacters})) COLLATE "C"`;

/** Each of the texts, once, as `given.value`. @param cut In the form of indexes of truncated texts */
export const eachText = (texts: readonly string[], { cut = false } = {}): Sql =>
  sql`(SELECT DISTINCT ${rawSql(cut ? `left(value, ${keptCharacters})` : 'value')} AS value
                FROM unnest(${onlyStorable(texts)}::text[]) AS given (value)) AS given`;

/** Not `=`: an equality would make the order redundant, and the planner could choose another index. */
export const whereGivenText = (column: string): Sql =>
  sql`${rawSql(column)} >= given.value AND ${rawSql(column)} <= given.value`;

/**
 * The rows that have one of the texts in a column, through the index of truncated texts; includes others with the same
 * beginning.
 */
export const toEachCutText = (column: string, texts: readonly string[] | null | undefined): readonly RangePath[] =>
  texts ? [[toTextSection(cutText(`item.${column}`), eachText(texts, { cut: true }))]] : [];

/** The same through an index of the complete texts. */
export const toEachText = (column: string, texts: readonly string[] | null | undefined): readonly RangePath[] =>
  texts ? [[toTextSection(`item.${column}`, eachText(texts))]] : [];

const toTextSection = (column: string, texts: Sql): IndexSection => ({
  forEach: () => texts,
  where: [whereGivenText(column)],
  order: [column],
});

/** Splits a filter in two: the conditions with these names, and the others. */
export function splitFilter<Filter extends object>(
  filter: Filter,
  names: readonly (keyof Filter & string)[],
): readonly [taken: Partial<Filter>, left: Partial<Filter>] {
  const isTaken = ([name]: readonly [string, unknown]): boolean => names.some((each) => each === name);
  const conditions = Object.entries(filter);
  return [
    Object.fromEntries(conditions.filter(isTaken)) as Partial<Filter>,
    Object.fromEntries(conditions.filter((each) => !isTaken(each))) as Partial<Filter>,
  ];
}

/** Where the rows of ranges are read. */
interface RangeSource {
  readonly table: Sql;
  readonly shop: Sql;
  /** Rows `item` of the shop that exist. */
  readonly ofShop: Sql;
}

/** The rows `item` of a range and perhaps some more, no more than `most`; all of them without it. */
export function toRangeRows({ table, shop, ofShop }: RangeSource, path: RangePath, most?: Sql): Sql {
  const end = most === undefined ? fence : sql`LIMIT ${most}`;
  const toRows = ({ forEach, where, order }: IndexSection) => {
    const columns = rawSql(order.map(columnOf).join(', '));
    const conditions = joinSql([ofShop, ...where], ' AND ');
    const rows = sql`(SELECT item.* FROM ${table} AS item WHERE ${conditions} ORDER BY ${columns} ${end}) AS item`;
    return forEach === undefined
      ? sql`SELECT item.* FROM ${rows}`
      : sql`SELECT item.* FROM ${forEach(shop)} CROSS JOIN LATERAL ${rows}`;
  };
  return sql`${joinSql(path.map(toRows), ' UNION ALL ')} ${end}`;
}

/** A range that may be read, and the condition under which it may. */
export interface RangeChoice {
  readonly path: RangePath;
  readonly condition?: Sql;
}

/** The rows of ranges, and for each range whether it is small enough, as expressions of a WITH. */
interface RangeScans {
  /** `range_1 AS …, range_2 AS …`; each is read only as far as needed. */
  readonly expressions: readonly Sql[];
  readonly names: readonly Sql[];
  /**
   * The name of the first range within the limit, as branches of a CASE. Later ones are not read.
   * @param from The first range that counts, @param to the one after the last.
   */
  firstWithin(rows: number, from?: number, to?: number): Sql;
}

/**
 * Nothing is materialized: counting a range reads only its index, and conditions, which may look up other rows, are
 * checked only on the rows of the chosen range.
 * @param columns Of a row `item`. @param most At most one more row than this is read of each range.
 */
export function toRangeScans(
  source: RangeSource,
  ranges: readonly RangeChoice[],
  { columns, fit, most }: { columns: Sql; fit: Sql; most: number },
): RangeScans {
  const names = ranges.map((_, index) => rawSql(`range_${index + 1}`));
  const expressions = ranges.map(
    ({ path }, index) => sql`${names[index] as Sql} AS NOT MATERIALIZED (
      SELECT ${columns}, (${fit}) AS fits FROM (${toRangeRows(source, path, sql`${most + 1}::integer`)}) AS item)`,
  );
  const isWithin = (name: Sql, rows: number, condition: Sql | undefined) => {
    const fewer = sql`(SELECT count(*) FROM (SELECT FROM ${name} LIMIT ${rows + 1}::integer) AS first) <= ${rows}::integer`;
    return condition === undefined ? fewer : sql`CASE WHEN ${condition} THEN ${fewer} END`;
  };
  return {
    expressions,
    names,
    firstWithin: (rows, from = 0, to = names.length) => {
      const branches = names.map(
        (name, index) => sql`WHEN ${isWithin(name, rows, ranges[index]?.condition)} THEN '${name}'`,
      );
      return from >= to ? emptySql : joinSql(branches.slice(from, to), ' ');
    },
  };
}
