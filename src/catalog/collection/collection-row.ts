import type { ShopRow } from '../shop-rows';

/** A collection as the database hands it out, in the names of the schema. */
export type CollectionRow = ShopRow;
