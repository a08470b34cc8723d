import type { Format } from './format';
import { shopifyInventory } from './formats/shopify-inventory';
import { shopifyOrders } from './formats/shopify-orders';
import { shopifyProducts } from './formats/shopify-products';
import { snapshot } from './formats/snapshot';

/** Every format that can be imported, in the order in which `auto` asks them. A new one is a file and a line here. */
export const formats = [
  snapshot,
  shopifyProducts,
  shopifyOrders,
  shopifyInventory,
] as const satisfies readonly Format[];

export type FormatName = (typeof formats)[number]['name'];

export const formatNames: readonly FormatName[] = formats.map(({ name }) => name);
