import type { ShopRow } from '../shop-rows';

/** An order as ShopRows hands it out, in the names of the schema. */
export interface OrderRow extends ShopRow {
  readonly customerName: string | null;
  readonly tags: string[];
}
