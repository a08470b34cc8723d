import { Prisma } from '../../database/generated/client';
import { holdsNul, isUuid } from './condition';

/** What a list is sorted by, ties broken by id. The column is never null, and leads an index behind shop_id. */
export interface SortKey {
  readonly column: string;
  readonly type: 'timestamptz' | 'numeric' | 'bigint' | 'text';
  /** The member of a row that says its value. */
  readonly member: string;
  /** What the column holds for a row whose member is null: the value that sorts last. */
  readonly nullAs?: 'infinity';
  /** The column is no member of the rows and must be read beside them. */
  readonly isExtra?: boolean;
}

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
  /** Ranges of the filter whose rows can be read along indexes of their own, those first that tend to hold the fewest. */
  readonly ranges: readonly RangePath[];
  /** The list names its rows: these are looked at and no others. */
  readonly lookUp?: RangePath | undefined;
}

/** The rows of a range and perhaps some more, none of them twice: those of one stretch of an index, or of several. */
export type RangePath = readonly IndexStretch[];

export interface IndexStretch {
  /** Rows of another source; there is a stretch for each. */
  readonly forEach?: Prisma.Sql;
  readonly where: readonly Prisma.Sql[];
  /** The order of the index behind its columns that `where` compares with one value. No other index has it, so the planner takes this one. */
  readonly order: readonly string[];
}

/** The range as a path, if it has a bound at all. */
export const toRange = (where: readonly Prisma.Sql[], order: readonly string[]): readonly RangePath[] =>
  where.length === 0 ? [] : [[{ where, order }]];

/** What a filter names rows by. */
interface NamingFilter {
  readonly ids?: readonly string[] | null;
  readonly externalIds?: readonly string[] | null;
}

/** The path to rows that the filter names, if it names any: one by one, each by its key, whatever the planner thinks of the list. */
export function toLookUp({ ids, externalIds }: NamingFilter): RangePath | undefined {
  if (ids) return toEach(Prisma.sql`${ids.filter(isUuid)}::uuid[]`, 'id');
  if (externalIds) return toEach(Prisma.sql`${externalIds.filter((id) => !holdsNul(id))}::text[]`, 'external_id');
  return undefined;
}

/** The rows with each of the values, which an index has in the order of creation or once. @param values An array in SQL */
export const toEach = (values: Prisma.Sql, column: string, order = column): RangePath => [
  {
    forEach: Prisma.sql`(SELECT DISTINCT value FROM unnest(${values}) AS given (value)) AS given`,
    where: [Prisma.sql`t.${Prisma.raw(column)} = given.value`],
    order: [order],
  },
];
