import { ProductTooLargeError } from '../operation-reads';
import type { StreamedProduct } from '../passthrough/passthrough-schema';
import { RawJson, separateEntries } from '../passthrough/passthrough-schema';
import type { RowList, ShopRows } from '../rows/shop-rows';
import { toProductConditions, toProductPath } from './product-filter';
import type { ProductRow } from './product-row';
import type { ProductFilter, ProductSortKey } from '../schema-inputs';
import { sortKeys } from './product-sort-keys';

/** The products of the shop that meet the filter, in the requested order. */
export function listProducts(
  rows: ShopRows,
  filter: ProductFilter,
  { sortKey, reverse }: { sortKey: ProductSortKey; reverse: boolean },
): RowList<ProductRow> {
  const path = toProductPath(filter, sortKey, rows.shop);
  return rows.list('products', {
    where: toProductConditions(filter, rows.shop),
    sort: sortKeys[sortKey],
    reverse,
    path,
  });
}

/** The oldest product with the handle, or null: in most shops there is one. */
export async function readProductByHandle(rows: ShopRows, handle: string): Promise<ProductRow | null> {
  const list = listProducts(rows, { handle }, { sortKey: 'CREATED_AT', reverse: false });
  const { items } = await list.read({ after: undefined, before: undefined, limit: 1, backwards: false });
  return items[0] ?? null;
}

/** The shop's products among the ids, in no particular order. */
export function readProducts(rows: ShopRows, ids: readonly string[]): Promise<readonly ProductRow[]> {
  return rows.byIds('products', ids);
}

/** One product with its variants in their order (D9), or null. */
export function readProductWithVariants(rows: ShopRows, id: string) {
  return rows.productWithVariants(id);
}

/**
 * The same as the JSON text of the REST API.
 * @param streamed Takes a product that is too large for one text.
 * @throws ProductTooLargeError without that
 */
export async function readRawProduct(rows: ShopRows, id: string, streamed?: StreamedProduct): Promise<RawJson | null> {
  let texts;
  try {
    texts = await rows.rawProduct(id);
  } catch (error) {
    if (streamed === undefined || !(error instanceof ProductTooLargeError)) throw error;
    const large = await rows.largeProduct(id);
    return large && streamed.hold(large);
  }
  const [product, ...variants] = texts;
  if (product === undefined) return null;
  return new RawJson(product.slice(0, -1), ',"variants":[', ...separateEntries(variants), ']}');
}
