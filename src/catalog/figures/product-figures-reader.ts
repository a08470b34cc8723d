import type { PriceGroup, ProductTrait } from '../rows/figure-statement';
import type { ShopRows } from '../rows/shop-rows';

/** Products by a text that many of them share. */
export interface ProductValueCounts {
  readonly top: readonly { readonly value: string; readonly count: number }[];
  readonly rest: number;
  readonly none: number;
}

/** Counts visible products by a text: the most frequent ones, all others together, and none. */
export async function readValueCounts(rows: ShopRows, trait: ProductTrait, most: number): Promise<ProductValueCounts> {
  const groups = await rows.figures.productValues(trait, most);
  const top = groups.slice(0, -1).map(([value, count]) => ({ value: value as string, count }));
  const [, all = 0, none = 0] = groups.at(-1) ?? [];
  return { top, rest: all - top.reduce((sum, { count }) => sum + count, 0), none };
}

/** Round prices, so that the bands of all shops are the same. */
const priceBounds: readonly string[] = [
  ...[1, 10, 100, 1_000, 10_000, 100_000].flatMap((decade) => [decade, 2 * decade, 5 * decade]),
  1_000_000,
].map(String);

/** Counts visible products by their lowest price; those without one last. */
export async function readPriceBands(
  rows: ShopRows,
): Promise<readonly { min: string | null; max: string | null; count: number }[]> {
  const groups: readonly PriceGroup[] = await rows.figures.productPrices(priceBounds);
  return groups.map(([min, max, count]) => ({ min, max, count }));
}
