import type { ShopRow } from '../shop-rows';

/** A variant as the database hands it out, in the names of the schema. */
export interface VariantRow extends ShopRow {
  readonly productId: string;
  readonly position: number | null;
}
