import type { RowOf } from '../rows/shop-tables';

/** A product as ShopRows hands it out. */
export type ProductRow = RowOf<'products'>;
