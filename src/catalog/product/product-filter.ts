import { Prisma } from '../../database/generated/client';
import { equals, holdsNul, never } from '../condition';

/** The argument `filter` of `products`, as the schema describes it. */
export interface ProductFilter {
  readonly query?: string | null;
  readonly status?: string | null;
  readonly vendor?: string | null;
  readonly productType?: string | null;
  readonly tag?: string | null;
}

/** An empty `query` matches everything, so it is the same filter as none (D5). */
export const toCanonicalProductFilter = (filter: ProductFilter): ProductFilter => ({
  ...filter,
  query: filter.query === '' ? null : (filter.query ?? null),
});

/** The conditions a product must meet. */
export function toProductConditions(filter: ProductFilter): readonly Prisma.Sql[] {
  return [
    ...matchesQuery(filter.query),
    ...equals('status', filter.status),
    ...equals('vendor', filter.vendor),
    ...equals('product_type', filter.productType),
    ...carriesTag(filter.tag),
  ];
}

/** Case-insensitive substring of title or handle; `%`, `_` and `\` are ordinary characters (D5). */
function matchesQuery(query: string | null | undefined): Prisma.Sql[] {
  if (query === null || query === undefined || query === '') return [];
  // U+FFFF separates title and handle in search_text; a term that holds it could match across the two.
  if (holdsNul(query) || query.includes('\uFFFF')) return [never];
  const escaped = query.replace(/[\\%_]/g, '\\$&');
  return [Prisma.sql`t.search_text LIKE '%' || catalog_fold(${escaped}::text) || '%'`];
}

function carriesTag(tag: string | null | undefined): Prisma.Sql[] {
  if (tag === null || tag === undefined) return [];
  return [holdsNul(tag) ? never : Prisma.sql`t.tags @> ARRAY[${tag}::text]`];
}
