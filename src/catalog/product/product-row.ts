import type { ShopRow } from '../shop-rows';

/** A product as the database hands it out, in the names of the schema. */
export type ProductRow = ShopRow;
