import type { RowOf } from '../rows/shop-tables';

/** A product as ShopRows returns it. */
export type ProductRow = RowOf<'products'>;
