import type { RowOf } from '../rows/shop-tables';

/** A variant as ShopRows hands it out. */
export type VariantRow = RowOf<'variants'>;
