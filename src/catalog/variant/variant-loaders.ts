import DataLoader from 'dataloader';
import type { WorkTurns } from '../../event-loop-turns';
import type { ShopRows } from '../rows/shop-rows';
import { readVariantsOfProducts } from './variant-reader';
import type { VariantRow } from './variant-row';

/** Loads the variants of many products with one statement. */
export const createVariantsOfProductLoader = (
  rows: ShopRows,
  turns: WorkTurns,
): DataLoader<string, readonly VariantRow[]> =>
  new DataLoader(
    async (productIds) => {
      const variants = new Map(productIds.map((id) => [id, [] as VariantRow[]]));
      for (const variant of await readVariantsOfProducts(rows, productIds))
        variants.get(variant.productId)?.push(variant);
      return productIds.map((id) => variants.get(id) ?? []);
    },
    { batchScheduleFn: (load) => turns.afterAll(load) },
  );
