import { sql, joinSql } from '../../database/sql';
import { anyTerm, keptCharacters, termKinds, termMark, termSeparator } from '../../database/sql-constants';
import { holdsNul } from '../rows/condition';
import { isLookedUp } from '../rows/page-statement';
import type { RangePath } from '../rows/shop-list';
import type { ProductFilter } from './product-filter';
import { foldedQuery } from './product-filter';

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
