import DataLoader from 'dataloader';
import type { ByIdLoader } from '../by-id-loader';
import { createByIdLoader } from '../by-id-loader';
import type { WorkTurns } from '../../event-loop-turns';
import type { ShopRows } from '../shop-rows';
import { readVariants, readVariantsOfProducts } from './variant-reader';
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

export const createVariantLoader = (rows: ShopRows, turns: WorkTurns): ByIdLoader<VariantRow> =>
  createByIdLoader((ids) => readVariants(rows, ids), turns);
