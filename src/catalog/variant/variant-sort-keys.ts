import type { SortKey } from '../rows/shop-list';
import type { VariantSortKey } from '../schema-inputs';
import { lastBigint } from '../rows/shop-list';

/** The orders of a list of variants, by their names in the schema. Each has an index. */
export const sortKeys = {
  ID: { column: 'id', type: 'uuid', member: 'id' },
  UPDATED_AT: { column: 'updated_at', type: 'timestamptz', member: 'updatedAt' },
  PRICE: {
    column: "coalesce(item.price_value, 'Infinity'::numeric)",
    type: 'numeric',
    member: 'price',
    nullAs: 'infinity',
  },
  STOCK: {
    column: `coalesce(item.inventory_quantity, ${lastBigint})`,
    type: 'bigint',
    member: 'inventoryQuantity',
    nullAs: lastBigint,
  },
} as const satisfies Record<VariantSortKey, SortKey>;
