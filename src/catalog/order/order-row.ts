import type { RowOf } from '../rows/shop-tables';

/** An order as ShopRows hands it out. */
export type OrderRow = RowOf<'orders'>;
