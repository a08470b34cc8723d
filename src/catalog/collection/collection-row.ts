import type { RowOf } from '../rows/shop-tables';

/** A collection as ShopRows hands it out. */
export type CollectionRow = RowOf<'collections'>;
