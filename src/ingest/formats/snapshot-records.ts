import type { Dropped } from '../dropped';
import type {
  CollectionValues,
  OrderValues,
  ProductRecord,
  ProductValues,
  ShopRecord,
  ShopValues,
  VariantValues,
} from '../record';
import { productStatuses } from '../record';
import { positionBounds, safeBounds } from '../values/whole-number';
import { toDistinctVariants } from './json-file';
import type { JsonMembers } from './json-members';

/** Plan and limit change only through `shop set`: they are not members here, so they are reported as ignored. */
export function toShop(members: JsonMembers): Pick<ShopRecord, 'values' | 'lastSyncAt'> {
  const values: ShopValues = {
    ...(members.names('name') && { name: members.text('name') }),
    ...(members.names('platform') && { platform: members.text('platform')?.toLowerCase() ?? null }),
    ...(members.names('currency') && { currency: members.currency('currency') }),
    ...(members.has('plan_status') && { plan_status: members.requiredText('plan_status') }),
    ...(members.has('created_at') && { created_at: members.requiredTimestamp('created_at') }),
  };
  return { values, lastSyncAt: members.timestamp('last_sync_at') };
}

/** Without `--keep-ids` the ids of a file mean nothing here. */
const toKeptId = (members: JsonMembers, keepsIds: boolean): { id?: string } =>
  keepsIds ? { id: members.uuid('id') } : {};

/** The derived members (variant_count, min_price, max_price, total_stock) are always computed; the values in the line are ignored. */
export function toProduct(
  members: JsonMembers,
  variants: readonly JsonMembers[],
  keepsIds: boolean,
): Pick<ProductRecord, 'values' | 'variants'> {
  const values: ProductValues = {
    ...toKeptId(members, keepsIds),
    external_id: members.externalId(),
    title: members.requiredText('title'),
    handle: members.text('handle'),
    status: members.oneOf('status', productStatuses) ?? 'ACTIVE',
    vendor: members.indexedText('vendor'),
    product_type: members.indexedText('product_type'),
    tags: members.tags('tags'),
    description_html: members.text('description_html'),
    seo_title: members.text('seo_title'),
    seo_description: members.text('seo_description'),
    image_url: members.text('image_url'),
    published_at: members.timestamp('published_at'),
    published: null,
    created_at: members.requiredTimestamp('created_at'),
    updated_at: members.requiredTimestamp('updated_at'),
  };
  return {
    values,
    variants: toDistinctVariants(
      variants,
      (variant) => toVariant(variant, keepsIds),
      (variant) => variant.reportRepeated('external_id'),
    ),
  };
}

const toVariant = (members: JsonMembers, keepsIds: boolean): VariantValues => ({
  ...toKeptId(members, keepsIds),
  external_id: members.externalId(),
  title: members.text('title'),
  sku: members.text('sku'),
  barcode: members.text('barcode'),
  price: members.decimal('price'),
  compare_at_price: members.decimal('compare_at_price'),
  cost_price: members.decimal('cost_price'),
  inventory_quantity: members.wholeNumber('inventory_quantity', safeBounds),
  weight: members.decimal('weight'),
  weight_unit: members.text('weight_unit'),
  position: members.wholeNumber('position', positionBounds),
  image_url: members.text('image_url'),
  options: members.options('options'),
  created_at: members.requiredTimestamp('created_at'),
  updated_at: members.requiredTimestamp('updated_at'),
});

export const toCollection = (members: JsonMembers, keepsIds: boolean): CollectionValues => ({
  ...toKeptId(members, keepsIds),
  external_id: members.externalId(),
  title: members.requiredText('title'),
  handle: members.text('handle'),
  description_html: members.text('description_html'),
  published: members.requiredBoolean('published'),
  collection_type: members.text('collection_type'),
  products_count: members.count('products_count'),
  image_url: members.text('image_url'),
  seo_title: members.text('seo_title'),
  seo_description: members.text('seo_description'),
  created_at: members.timestamp('created_at'),
  updated_at: members.timestamp('updated_at'),
});

/** An order's e-mail members are read only to count them (D25). */
export function toOrder(members: JsonMembers, dropped: Dropped, keepsIds: boolean): OrderValues {
  for (const name of ['email', 'customer_email']) if (members.has(name)) dropped.email();
  return {
    ...toKeptId(members, keepsIds),
    external_id: members.externalId(),
    order_number: members.requiredText('order_number'),
    customer_name: members.text('customer_name'),
    currency: members.currency('currency'),
    total_price: members.decimal('total_price'),
    subtotal_price: members.decimal('subtotal_price'),
    total_tax: members.decimal('total_tax'),
    total_shipping: members.decimal('total_shipping'),
    financial_status: members.indexedText('financial_status'),
    fulfillment_status: members.indexedText('fulfillment_status'),
    items_count: members.count('items_count'),
    tags: members.tags('tags'),
    created_at: members.timestamp('created_at'),
    updated_at: members.timestamp('updated_at'),
  };
}
