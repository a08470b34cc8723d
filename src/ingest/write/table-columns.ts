import type { CollectionValues, OrderValues, ProductValues, VariantValues } from '../record';

/** The columns that a format provides, each with the type as which its JSON text is read. */
type ColumnTypes<Values> = Readonly<Record<Exclude<keyof Values, 'id' | 'external_id'>, string>>;

const timestamp = 'timestamptz(3)';

export const collectionColumns: ColumnTypes<CollectionValues> = {
  title: 'text',
  handle: 'text',
  description_html: 'text',
  published: 'boolean',
  collection_type: 'text',
  products_count: 'bigint',
  image_url: 'text',
  seo_title: 'text',
  seo_description: 'text',
  created_at: timestamp,
  updated_at: timestamp,
};

export const orderColumns: ColumnTypes<OrderValues> = {
  order_number: 'text',
  customer_name: 'text',
  currency: 'text',
  total_price: 'text',
  subtotal_price: 'text',
  total_tax: 'text',
  total_shipping: 'text',
  financial_status: 'text',
  fulfillment_status: 'text',
  items_count: 'bigint',
  tags: 'text[]',
  created_at: timestamp,
  updated_at: timestamp,
};

/** Without the timestamps, which may have to be generated for products and variants. */
export const productColumns: Omit<
  ColumnTypes<ProductValues>,
  'published' | 'published_at' | 'created_at' | 'updated_at'
> = {
  title: 'text',
  handle: 'text',
  status: 'text',
  vendor: 'text',
  product_type: 'text',
  tags: 'text[]',
  description_html: 'text',
  seo_title: 'text',
  seo_description: 'text',
  image_url: 'text',
};

export const variantColumns: Omit<ColumnTypes<VariantValues>, 'created_at' | 'updated_at'> = {
  title: 'text',
  sku: 'text',
  barcode: 'text',
  price: 'text',
  compare_at_price: 'text',
  cost_price: 'text',
  inventory_quantity: 'bigint',
  weight: 'text',
  weight_unit: 'text',
  position: 'integer',
  image_url: 'text',
  options: 'jsonb',
};

/** `a, b, c`, or `t.a, t.b, t.c` with a table's name. */
export const listColumns = (columns: Readonly<Record<string, string>>, table?: string): string =>
  Object.keys(columns)
    .map((name) => (table === undefined ? name : `${table}.${name}`))
    .join(', ');

/** `a text, b bigint`: the column definitions for the members of a batch's JSON text. */
export const defineColumns = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ');
