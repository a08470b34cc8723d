import type { RowOf } from '../rows/shop-tables';

/** A collection as ShopRows returns it. */
export type CollectionRow = RowOf<'collections'>;
