import type { KeysetList, KeysetRange, KeysetSection } from '../../relay/connection';
import type { RowList, ShopRows } from '../rows/shop-rows';
import { toVariantConditions, toVariantPath } from './variant-filter';
import type { VariantRow } from './variant-row';
import type { VariantFilter, VariantSortKey } from '../schema-inputs';
import { sortKeys } from './variant-sort-keys';

/**
 * The visible variants of the shop that meet the filter, in the requested order. A variant is visible when its product
 * is (D8).
 */
export function listVariants(
  rows: ShopRows,
  filter: VariantFilter,
  { sortKey, reverse }: { sortKey: VariantSortKey; reverse: boolean },
): RowList<VariantRow> {
  return rows.list('variants', {
    where: toVariantConditions(filter),
    sort: sortKeys[sortKey],
    reverse,
    path: toVariantPath(filter, sortKey),
  });
}

/** The visible variants among the ids, in no particular order. */
export function readVariants(rows: ShopRows, ids: readonly string[]): Promise<readonly VariantRow[]> {
  return rows.byIds('variants', ids);
}

/** Every variant of the given products, by position, nulls last, then id (D9). */
export function readVariantsOfProducts(rows: ShopRows, productIds: readonly string[]): Promise<readonly VariantRow[]> {
  return rows.variantsOf(productIds);
}

/** Loads pages of the variants of products. */
export interface VariantPages {
  load(address: { readonly productId: string; readonly range: KeysetRange }): Promise<KeysetSection<VariantRow>>;
}

/** The variants of one product, in the same order. @param count Of all of them. */
export const listVariantsOfProduct = (
  rows: ShopRows,
  pages: VariantPages,
  productId: string,
  count: number,
): KeysetList<VariantRow> => ({
  positionOf: ({ position, id }) => [position === null ? null : String(position), id],
  count: () => Promise.resolve(count),
  read: (range) => pages.load({ productId, range }),
  hasAny: (range) => rows.hasVariants(productId, range),
});
