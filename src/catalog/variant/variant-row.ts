import type { RowOf } from '../shop-tables';

/** A variant as ShopRows hands it out. */
export type VariantRow = RowOf<'variants'>;
