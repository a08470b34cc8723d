import type { RowOf } from '../shop-tables';

/** A product as ShopRows hands it out. */
export type ProductRow = RowOf<'products'>;
