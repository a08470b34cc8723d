import { Prisma } from '../../database/generated/client';
import { holdsNul } from '../rows/condition';
import type { ProductFilter } from './product-filter';
import { foldedQuery } from './product-filter';

/** The first letters of terms, as `catalog_terms` writes them. */
const kinds = { status: 's', vendor: 'v', productType: 'p', tag: 't' } as const;

/**
 * The condition that products_terms_idx answers, if the filter asks for anything that terms know. It leaves candidates:
 * the conditions themselves still have to be held against them.
 */
export function toTerms(filter: ProductFilter): Prisma.Sql[] {
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
    ...(exact.length > 0 ? [Prisma.sql`${join('&', exact)}::tsquery`] : []),
    ...(filter.query ? [Prisma.sql`catalog_search_terms(${foldedQuery(filter.query)})`] : []),
  ];
  if (parts.length === 0) return [];
  // A row whose text is too long to be taken apart has this term alone.
  const wanted = Prisma.sql`${Prisma.join(parts, ' && ')} || ${quote('!')}::tsquery`;
  return [Prisma.sql`catalog_terms(t.status, t.vendor, t.product_type, t.tags, t.search_text) @@ (SELECT ${wanted})`];
}

const one = (value: string | null | undefined): readonly string[] | null =>
  typeof value === 'string' ? [value] : null;

function anyOf(kind: keyof typeof kinds, values: readonly string[] | null | undefined): string[] {
  const found = (values ?? []).filter((value) => !holdsNul(value));
  return found.length === 0
    ? []
    : [
        join(
          '|',
          found.map((value) => quote(kinds[kind] + cut(value))),
        ),
      ];
}

/** As much of a value as its term holds: so many characters as PostgreSQL counts them, and none from U+FFFF on, which separates terms. */
const cut = (value: string): string =>
  Array.from(value)
    .slice(0, 500)
    .join('')
    .replace(/\uFFFF.*$/su, '');

/** Whether nothing of the value is cut off, there as in `product_tags`. */
export const fitsTerm = (value: string): boolean => cut(value) === value;

/** A term between quotes, where quotes and backslashes stand twice. */
const quote = (term: string): string => `'${`\uFFFE${term}`.replace(/['\\]/g, '$&$&')}'`;

/** In halves, so that a thousand values do not nest a thousand deep. */
function join(operator: '&' | '|', parts: readonly string[]): string {
  if (parts.length === 1) return parts[0] as string;
  const middle = parts.length >> 1;
  return `(${join(operator, parts.slice(0, middle))} ${operator} ${join(operator, parts.slice(middle))})`;
}
