import type { RowOf } from '../rows/shop-tables';

/** An order as ShopRows returns it. */
export type OrderRow = RowOf<'orders'>;
