import DataLoader from 'dataloader';
import type { WorkTurns } from '../../common/event-loop-turns';
import type { KeysetRange, KeysetSection } from '../../relay/position';
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

interface VariantPageAddress {
  readonly productId: string;
  readonly range: KeysetRange;
}

export type VariantPageLoader = DataLoader<VariantPageAddress, KeysetSection<VariantRow>>;

/** Loads the same page of the variants of many products with one statement. */
export const createVariantPageLoader = (rows: ShopRows, turns: WorkTurns): VariantPageLoader =>
  new DataLoader<VariantPageAddress, KeysetSection<VariantRow>, string>(
    async (addresses) => {
      const pages = new Map<VariantPageAddress, KeysetSection<VariantRow>>();
      const ranges = new Map(addresses.map(({ range }) => [JSON.stringify(range), range]));
      for (const [text, range] of ranges) {
        const alike = addresses.filter((address) => JSON.stringify(address.range) === text);
        const ids = alike.map(({ productId }) => productId);
        const found = await rows.variantPagesOf(ids, range);
        for (const address of alike) pages.set(address, found.get(address.productId) as KeysetSection<VariantRow>);
      }
      return addresses.map((address) => pages.get(address) as KeysetSection<VariantRow>);
    },
    {
      cacheKeyFn: ({ productId, range }) => `${productId} ${JSON.stringify(range)}`,
      batchScheduleFn: (load) => turns.afterAll(load),
    },
  );
