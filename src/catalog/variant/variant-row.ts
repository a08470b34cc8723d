import type { RowOf } from '../rows/shop-tables';

/** A variant as ShopRows returns it. */
export type VariantRow = RowOf<'variants'>;
