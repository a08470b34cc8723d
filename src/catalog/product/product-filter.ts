import type { Sql } from '../../database/sql';
import { joinSql, rawSql, sql } from '../../database/sql';
import { anyTerm, keptCharacters, termKinds, termMark, termSeparator } from '../../database/sql-constants';
import type { DateTimeRange, NumberRange, TagFilter } from '../rows/condition';
import { carriesTags, equals, hasIdAmong, holdsNul, isAnyOf, isBetween, never, reachesInto } from '../rows/condition';
import { isLookedUp } from '../rows/page-statement';
import type { RangePath } from '../rows/shop-list';

/**
 * The products that product_terms_idx finds, if the filter contains anything that terms cover; otherwise an empty path. They are
 * candidates: the conditions themselves must still be checked on them.
 */
export function toTermsPath(filter: ProductFilter): RangePath {
  const exact = [
    ...anyOf('status', one(filter.status)),
    ...anyOf('status', filter.statusIn),
    ...anyOf('vendor', one(filter.vendor)),
    ...anyOf('vendor', filter.vendorIn),
    ...anyOf('productType', one(filter.productType)),
    ...anyOf('productType', filter.productTypeIn),
    ...anyOf('tag', one(filter.tag)),
    ...(filter.tagsAll ?? []).flatMap((tag) => anyOf('tag', [tag])),
    ...anyOf('tag', filter.tagsAny),
  ];
  const parts = [
    ...(exact.length > 0 ? [sql`${join('&', exact)}::tsquery`] : []),
    ...(filter.query ? [sql`catalog_search_terms(${foldedQuery(filter.query)})`] : []),
  ];
  if (parts.length === 0) return [];
  // A row whose text is too long to be split has only this term.
  const wanted = sql`${joinSql(parts, ' && ')} || ${quote(anyTerm)}::tsquery`;
  const hasTerms = sql`catalog_terms(p.status, p.vendor, p.product_type, p.tags, p.search_text) @@ (SELECT ${wanted})`;
  return [
    {
      forEach: (shop) => sql`
        (SELECT p.product_id FROM product_terms AS p WHERE p.shop_id = ${shop} AND ${hasTerms} OFFSET 0) AS candidate`,
      where: [sql`t.id = candidate.product_id AND ${isLookedUp}`],
      order: ['id'],
    },
  ];
}

const one = (value: string | null | undefined): readonly string[] | null =>
  typeof value === 'string' ? [value] : null;

function anyOf(kind: keyof typeof termKinds, values: readonly string[] | null | undefined): string[] {
  const found = (values ?? []).filter((value) => !holdsNul(value));
  return found.length === 0
    ? []
    : [
        join(
          '|',
          found.map((value) => quote(termKinds[kind] + cut(value))),
        ),
      ];
}

/**
 * The part of a value that its term contains: a limited number of characters as PostgreSQL counts them, and none from a separator of
 * terms on.
 */
const cut = (value: string): string =>
  Array.from(value).slice(0, keptCharacters).join('').split(termSeparator, 1)[0] as string;

/** Whether nothing of the value is cut off, here and in `product_tags`. */
export const fitsTerm = (value: string): boolean => cut(value) === value;

/** A term between quotes, where quotes and backslashes are doubled. */
const quote = (term: string): string => `'${(termMark + term).replace(/['\\]/g, '$&$&')}'`;

/** In halves, so that a thousand values do not nest a thousand deep. */
function join(operator: '&' | '|', parts: readonly string[]): string {
  if (parts.length === 1) return parts[0] as string;
  const middle = parts.length >> 1;
  return `(${join(operator, parts.slice(0, middle))} ${operator} ${join(operator, parts.slice(middle))})`;
}

/** The argument `filter` of `products`, as the schema describes it. */
export interface ProductFilter extends TagFilter {
  readonly query?: string | null;
  readonly status?: string | null;
  readonly statusIn?: readonly string[] | null;
  readonly vendor?: string | null;
  readonly vendorIn?: readonly string[] | null;
  readonly productType?: string | null;
  readonly productTypeIn?: readonly string[] | null;
  readonly handle?: string | null;
  readonly handleIn?: readonly string[] | null;
  readonly skuIn?: readonly string[] | null;
  readonly barcodeIn?: readonly string[] | null;
  readonly ids?: readonly string[] | null;
  readonly externalIds?: readonly string[] | null;
  readonly createdAt?: DateTimeRange | null;
  readonly updatedAt?: DateTimeRange | null;
  readonly price?: NumberRange | null;
  readonly totalStock?: NumberRange | null;
}

/** The conditions that a product must meet. */
export function toProductConditions(filter: ProductFilter): readonly Sql[] {
  return [
    ...matchesQuery(filter.query),
    ...equals('status', filter.status),
    ...isAnyOf('status', filter.statusIn),
    ...equals('vendor', filter.vendor),
    ...isAnyOf('vendor', filter.vendorIn),
    ...equals('product_type', filter.productType),
    ...isAnyOf('product_type', filter.productTypeIn),
    ...carriesTags(filter),
    ...equals('handle', filter.handle),
    ...isAnyOf('handle', filter.handleIn),
    ...hasVariant('sku', filter.skuIn),
    ...hasVariant('barcode', filter.barcodeIn),
    ...hasIdAmong(filter.ids),
    ...isAnyOf('external_id', filter.externalIds),
    ...isBetween('created_at', filter.createdAt),
    ...isBetween('updated_at', filter.updatedAt),
    // The sort column has an index, and contains infinity where there is no price, which no bound includes.
    ...reachesInto('max_price_value', 'min_price_sort', filter.price),
    ...reachesInto('total_stock', 'total_stock', filter.totalStock, 'bigint'),
  ];
}

/** A variant with one of the values. Uses the index of a product's variants, whatever the planner estimates for the values. */
function hasVariant(name: 'sku' | 'barcode', values: readonly string[] | null | undefined): Sql[] {
  return isAnyOf(`v.${name}`, values).map((isOne) =>
    isOne === never
      ? never
      : sql`(SELECT bool_or(${isOne}) FROM (SELECT v.${rawSql(name)} FROM ${ownVariants} OFFSET 0) AS v)`,
  );
}

/** The variants of a product `t`, as `v`, in their order. */
export const ownVariants = sql`
  variants AS v WHERE v.shop_id = t.shop_id AND v.product_id = t.id ORDER BY v.position, v.id`;

/** Case-insensitive substring of title or handle; `%`, `_` and `\\` are ordinary characters (D5). */
function matchesQuery(query: string | null | undefined): Sql[] {
  if (query === null || query === undefined || query === '') return [];
  // U+FFFF separates title and handle in search_text; a term that contains it could match across the two.
  if (holdsNul(query) || query.includes('\uFFFF')) return [never];
  const escaped = query.replace(/[\\%_]/g, '\\$&');
  // A subquery is evaluated once, an expression for each row.
  return [sql`t.search_text LIKE (SELECT '%' || ${foldedQuery(escaped)} || '%')`];
}

/** Folded as the searched text is (docs/decisions.md 9). */
export const foldedQuery = (query: string): Sql => sql`catalog_fold(${query}::text)`;
