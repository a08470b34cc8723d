import { randomUUID } from 'node:crypto';
import { createClientId, createSecret, digestSecret, toApiKeyText, toPublicClientId } from '../../src/auth/api-key';
import type { Prisma } from '../../src/database/generated/client';
import { keepSecret } from './private-texts';
import type { Sql } from './test-database';

/** Values by column: one that the table does not have does not compile. */
type Columns<Field extends string> = Readonly<Partial<Record<SnakeCase<Field>, unknown>>>;

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

const day = 86_400_000;
const firstDay = Date.parse('2026-01-01T00:00:00.000Z');
let serial = 0;

/** A distinct timestamp for each row, later rows later, so that lists have an order by default. */
const nextTimestamp = (): string => new Date(firstDay + (serial % 300) * day + serial).toISOString();

/**
 * Inserts a shop and returns its id. Keys of `values` are column names, here and below, and values may be anything that
 * the database might contain: that is why these are statements and not Prisma's models.
 */
export async function seedShop(sql: Sql, values: Columns<Prisma.ShopScalarFieldEnum> = {}): Promise<string> {
  serial++;
  return insert(sql, 'shops', 'shop_id', {
    domain: `shop-${serial}-${randomUUID().slice(0, 8)}.example`,
    name: 'Hearth & Bean',
    platform: 'shopify',
    currency: 'EUR',
    ...values,
  });
}

/** Inserts a product without variants and returns its id. */
export async function seedProduct(
  sql: Sql,
  shopId: string,
  values: Columns<Prisma.ProductScalarFieldEnum> = {},
): Promise<string> {
  serial++;
  const createdAt = values['created_at'] ?? nextTimestamp();
  return insert(sql, 'products', 'id', {
    shop_id: shopId,
    external_id: `p-${serial}`,
    title: `Stoneware mug no. ${serial}`,
    handle: `stoneware-mug-${serial}`,
    vendor: 'Kiln & Co',
    product_type: 'Mugs',
    tags: ['kitchen', 'handmade'],
    created_at: createdAt,
    updated_at: createdAt,
    ...values,
  });
}

/** Inserts a variant and returns its id; the product's derived columns follow automatically. */
export async function seedVariant(
  sql: Sql,
  shopId: string,
  productId: string,
  values: Columns<Prisma.VariantScalarFieldEnum> = {},
): Promise<string> {
  serial++;
  const { options = [{ name: 'Size', value: 'Large' }], ...columns } = values;
  const createdAt = values['created_at'] ?? nextTimestamp();
  return insert(sql, 'variants', 'id', {
    shop_id: shopId,
    product_id: productId,
    external_id: `v-${serial}`,
    title: 'Large',
    sku: `SKU-${serial}`,
    price: '19.90',
    inventory_quantity: 7,
    position: 1,
    options: JSON.stringify(options),
    created_at: createdAt,
    updated_at: createdAt,
    ...columns,
  });
}

/** Inserts a collection and returns its id. */
export async function seedCollection(
  sql: Sql,
  shopId: string,
  values: Columns<Prisma.CollectionScalarFieldEnum> = {},
): Promise<string> {
  serial++;
  const createdAt = 'created_at' in values ? values['created_at'] : nextTimestamp();
  return insert(sql, 'collections', 'id', {
    shop_id: shopId,
    external_id: `c-${serial}`,
    title: `Collection ${serial}`,
    handle: `collection-${serial}`,
    published: true,
    collection_type: 'manual',
    products_count: 3,
    created_at: createdAt,
    updated_at: createdAt,
    ...values,
  });
}

/** Inserts an order and returns its id. */
export async function seedOrder(
  sql: Sql,
  shopId: string,
  values: Columns<Prisma.OrderScalarFieldEnum> = {},
): Promise<string> {
  serial++;
  const createdAt = 'created_at' in values ? values['created_at'] : nextTimestamp();
  return insert(sql, 'orders', 'id', {
    shop_id: shopId,
    external_id: `o-${serial}`,
    order_number: `#${1000 + serial}`,
    customer_name: 'Zoë Müller',
    currency: 'EUR',
    total_price: '42.50',
    subtotal_price: '35.71',
    total_tax: '6.79',
    total_shipping: '0.00',
    financial_status: 'PAID',
    fulfillment_status: 'FULFILLED',
    items_count: 2,
    created_at: createdAt,
    updated_at: createdAt,
    ...values,
  });
}

export interface SeededKey {
  readonly apiKey: string;
  /** As shown to people: the part of the key before the dot, prefix included (D12). */
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Inserts an API key, with every scope by default. */
export async function seedApiKey(
  sql: Sql,
  shopId: string,
  values: Columns<Prisma.ApiKeyScalarFieldEnum> = {},
): Promise<SeededKey> {
  const keyPrefix = typeof values['key_prefix'] === 'string' ? values['key_prefix'] : 'ck';
  const clientId = typeof values['client_id'] === 'string' ? values['client_id'] : createClientId(shopId);
  const clientSecret = keepSecret(createSecret(clientId));
  await insert(sql, 'api_keys', 'client_id', {
    shop_id: shopId,
    client_id: clientId,
    key_prefix: keyPrefix,
    scopes: ['catalog:read', 'orders:read', 'account:read'],
    secret_digest: digestSecret(clientSecret),
    ...values,
  });
  return {
    apiKey: toApiKeyText({ keyPrefix, clientId, secret: clientSecret }),
    clientId: toPublicClientId(keyPrefix, clientId),
    clientSecret,
  };
}

async function insert(
  sql: Sql,
  table: string,
  returning: string,
  values: Readonly<Record<string, unknown>>,
): Promise<string> {
  const columns = Object.keys(values);
  const [row] = await sql<Record<string, string>>(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((_, index) => `$${index + 1}`).join(', ')})
     RETURNING ${returning}`,
    Object.entries(values).map(([name, value]) => (jsonColumns.has(name) ? JSON.stringify(value) : value)),
  );
  return row?.[returning] ?? '';
}

const jsonColumns: ReadonlySet<string> = new Set(['images', 'memberships', 'line_items']);
