import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';

let db: TestDatabase;
let shopId: string;
let productId: string;
beforeAll(async () => {
  db = await createTestDatabase();
  shopId = await seedShop(db.sql);
  productId = await seedProduct(db.sql, shopId);
});
afterAll(() => db.drop());

type Values = Record<string, unknown>;
const seeds = {
  shops: (values: Values) => seedShop(db.sql, values),
  products: (values: Values) => seedProduct(db.sql, shopId, values),
  variants: (values: Values) => seedVariant(db.sql, shopId, productId, values),
  collections: (values: Values) => seedCollection(db.sql, shopId, values),
  orders: (values: Values) => seedOrder(db.sql, shopId, values),
  api_keys: (values: Values) => seedApiKey(db.sql, shopId, values),
};

const refused: readonly [keyof typeof seeds, Values, string][] = [
  ['shops', { domain: '' }, 'shops_domain_check'],
  ['shops', { platform: 'Shopify' }, 'shops_platform_check'],
  ['shops', { currency: 'eur' }, 'shops_currency_check'],
  ['shops', { plan: 'gold' }, 'shops_plan_check'],
  ['shops', { product_limit: -1 }, 'shops_product_limit_check'],
  ['shops', { last_sync_at: 'infinity' }, 'shops_last_sync_at_check'],
  ['products', { external_id: '' }, 'products_external_id_check'],
  ['products', { status: 'active' }, 'products_status_check'],
  ['products', { tags: ['a', null] }, 'products_tags_check'],
  ['products', { tags: [['a'], ['b']] }, 'products_tags_check'],
  ['products', { created_at: '-infinity', updated_at: '2026-01-01Z' }, 'products_created_at_check'],
  ['products', { updated_at: '10000-01-01Z' }, 'products_updated_at_check'],
  ['variants', { external_id: '' }, 'variants_external_id_check'],
  ['variants', { price: '1e3' }, 'variants_price_check'],
  ['variants', { price: '.5' }, 'variants_price_check'],
  ['variants', { price: '1.00\n' }, 'variants_price_check'],
  ['variants', { price: 'NaN' }, 'variants_price_check'],
  ['variants', { compare_at_price: '' }, 'variants_compare_at_price_check'],
  ['variants', { cost_price: '1,5' }, 'variants_cost_price_check'],
  ['variants', { weight: '+1' }, 'variants_weight_check'],
  ['variants', { inventory_quantity: '9007199254740992' }, 'variants_inventory_quantity_check'],
  ['variants', { options: { name: 'Size', value: 'L' } }, 'variants_options_check'],
  ['variants', { options: [{ name: 'Size' }] }, 'variants_options_check'],
  ['variants', { options: [{ name: 'Size', value: 1 }] }, 'variants_options_check'],
  ['variants', { options: ['L'] }, 'variants_options_check'],
  ['collections', { products_count: -1 }, 'collections_products_count_check'],
  ['collections', { created_at: 'infinity' }, 'collections_created_at_check'],
  ['orders', { currency: 'EURO' }, 'orders_currency_check'],
  ['orders', { total_price: '1e7' }, 'orders_total_price_check'],
  ['orders', { items_count: -1 }, 'orders_items_count_check'],
  ['orders', { tags: [null] }, 'orders_tags_check'],
  ['api_keys', { client_id: 'a.b' }, 'api_keys_client_id_check'],
  ['api_keys', { scopes: [] }, 'api_keys_scopes_check'],
  ['api_keys', { scopes: ['admin'] }, 'api_keys_scopes_check'],
  ['api_keys', { secret_digest: Buffer.alloc(31) }, 'api_keys_secret_digest_check'],
  ['api_keys', { previous_secret_digest: Buffer.alloc(32) }, 'api_keys_previous_secret_check'],
];

it.each(refused)('%s refuse %j', async (table, values, constraint) => {
  await expect(seeds[table](values)).rejects.toMatchObject({ constraint });
});

it.each<[keyof typeof seeds, Values]>([
  ['shops', { platform: null, currency: null, product_limit: 0 }],
  ['products', { handle: '', tags: [], title: '' }],
  ['variants', { price: '0', compare_at_price: null, weight: '-0.000', inventory_quantity: '-5', options: [] }],
  ['collections', { created_at: null, updated_at: null, products_count: '4294967295' }],
  ['orders', { created_at: null, total_price: '-1200', tags: ['ü'] }],
])('%s accept %j', async (table, values) => {
  expect(await seeds[table](values)).toEqual(expect.any(String));
});

it('no table has a column for an e-mail address (D25)', async () => {
  expect(
    await db.sql("SELECT FROM information_schema.columns WHERE column_name LIKE '%mail%' AND table_schema = 'public'"),
  ).toEqual([]);
});
