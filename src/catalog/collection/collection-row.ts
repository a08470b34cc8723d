import type { RowOf } from '../shop-tables';

/** A collection as ShopRows hands it out. */
export type CollectionRow = RowOf<'collections'>;
