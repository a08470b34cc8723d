import type { Sql } from '../../database/sql';
import { sql, rawSql } from '../../database/sql';
import type { DateTimeRange, DecimalRange, LongRange } from '../schema-inputs';

type Condition = Sql;

/** Whether a member of a filter restricts at all. */
export const isGiven = (value: unknown): boolean => value !== null && value !== undefined;

/** A condition that no row meets: lists with it are not read at all. */
export const noRow: Condition = sql`false`;

/** No text in PostgreSQL contains a NUL character, so a filter with one matches nothing; it is not an error (D4). */
export const holdsNul = (text: string): boolean => text.includes('\0');

const withoutNul = (texts: readonly string[]): string[] => texts.filter((text) => !holdsNul(text));

/**
 * Column names here are our own constants, never a client's; those of another table than the list's include its alias.
 */
const column = (name: string): Sql => rawSql(name.includes('.') ? name : `item.${name}`);

/** Exact, case-sensitive comparison (D5); absent or null does not restrict. */
export function equals(name: string, value: string | null | undefined): Condition[] {
  if (value === null || value === undefined) return [];
  return [holdsNul(value) ? noRow : sql`${column(name)} = ${value}::text`];
}

/** One of the values; an empty list matches nothing. */
export function whereAnyOf(name: string, values: readonly string[] | null | undefined): Condition[] {
  return values ? [unlessEmpty(withoutNul(values), (given) => sql`${column(name)} = ANY (${given}::text[])`)] : [];
}

const unlessEmpty = (values: string[], toCondition: (values: string[]) => Condition): Condition =>
  values.length === 0 ? noRow : toCondition(values);

/** Canonical 36-character UUID, in any case (D3). Any other text is the id of nothing. */
export const isUuid = (text: string): boolean => uuid.test(text);
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** One of the objects with these ids. */
export function whereIdAmong(ids: readonly string[] | null | undefined): Condition[] {
  return ids ? [unlessEmpty(ids.filter(isUuid), (given) => sql`item.id = ANY (${given}::uuid[])`)] : [];
}

/** Belongs to one of the products with these ids. */
export function whereProductAmong(ids: readonly string[] | null | undefined): Condition[] {
  return ids ? [unlessEmpty(ids.filter(isUuid), (given) => sql`item.product_id = ANY (${given}::uuid[])`)] : [];
}

/** Has all of the tags. */
export function whereAllTags(tags: readonly string[] | null | undefined): Condition[] {
  if (!tags || tags.length === 0) return [];
  return [tags.some(holdsNul) ? noRow : sql`item.tags @> ${tags}::text[]`];
}

/** Has one of the tags. */
export const whereAnyTag = (tags: readonly string[] | null | undefined): Condition[] =>
  tags ? [unlessEmpty(withoutNul(tags), (given) => sql`item.tags && ${given}::text[]`)] : [];

/** What each member of a filter means: a member of the schema without a condition does not compile. */
export type ConditionsOf<Filter, Given extends unknown[] = []> = {
  readonly [Member in keyof Filter]-?: (value: Filter[Member], ...given: Given) => readonly Condition[];
};

/** The conditions of all members that a filter has, in the order of the members of `conditions`. */
export const toConditions = <Filter extends object, Given extends unknown[]>(
  conditions: ConditionsOf<Filter, Given>,
  filter: Filter,
  ...given: Given
): readonly Condition[] =>
  (Object.keys(conditions) as (keyof Filter)[]).flatMap((member) => conditions[member](filter[member], ...given));

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
 * Both bounds inclusive; decimals and whole numbers are passed as text or number and compared by PostgreSQL, exactly.
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
  return [
    ...(isGiven(range?.min) ? [sql`${column(highest)} >= ${toBound(range?.min)}`] : []),
    ...(isGiven(range?.max) ? [sql`${column(lowest)} <= ${toBound(range?.max)}`] : []),
  ];
}

/** The same for `updated_at` through the index of lists, which contains infinity where there is no date. */
export function whereUpdatedBetween(range: DateTimeRange | null | undefined): Condition[] {
  const isDated = sql`${column(updatedSort)} < 'infinity'`;
  return [...whereBetween(updatedSort, range), ...(range?.from && !range.to ? [isDated] : [])];
}

/** The sort column of lists of orders and collections in order of their last change. */
export const updatedSort = "coalesce(item.updated_at, 'infinity'::timestamptz)";

/** The same for `created_at` through the index of lists, whose column contains infinity where there is no date (D9). */
export function whereCreatedBetween(range: DateTimeRange | null | undefined): Condition[] {
  return [...whereBetween('sort_at', range), ...(range?.from && !range.to ? [sql`item.sort_at < 'infinity'`] : [])];
}
