import type { RowOf } from '../shop-tables';

/** An order as ShopRows hands it out. */
export type OrderRow = RowOf<'orders'>;
