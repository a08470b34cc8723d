import type { FormatName } from './formats/descriptions';
import type { Format } from './formats/format';
import { ownCsv } from './formats/own-csv';
import { shopifyCollectionsBulk } from './formats/shopify-collections-bulk';
import { shopifyInventory } from './formats/shopify-inventory';
import { shopifyOrders } from './formats/shopify-orders';
import { shopifyOrdersBulk } from './formats/shopify-orders-bulk';
import { shopifyOrdersJson } from './formats/shopify-orders-json';
import { shopifyProducts } from './formats/shopify-products';
import { shopifyProductsBulk } from './formats/shopify-products-bulk';
import { shopifyProductsJson } from './formats/shopify-products-json';
import { snapshot } from './formats/snapshot';
import { woocommerceOrdersJson } from './formats/woocommerce-orders-json';
import { woocommerceProducts } from './formats/woocommerce-products';
import { woocommerceProductsJson } from './formats/woocommerce-products-json';
import { shippedMaps } from './maps/shipped-maps';

/**
 * Every format that can be imported, in the order in which `auto` tries them.
 */
export const formats: readonly Format<FormatName>[] = [
  snapshot,
  ...ownCsv,
  shopifyProducts,
  shopifyOrders,
  shopifyInventory,
  shopifyProductsJson,
  shopifyOrdersJson,
  shopifyProductsBulk,
  shopifyCollectionsBulk,
  shopifyOrdersBulk,
  ...shippedMaps,
  woocommerceProducts,
  woocommerceProductsJson,
  woocommerceOrdersJson,
];
