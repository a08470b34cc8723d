import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useTestDatabase } from '../support/test-database';
import { readRows } from '../support/read-rows';

let shopId: string;
let productId: string;
const db = useTestDatabase();
beforeAll(async () => {
  shopId = await seedShop(db.sql);
  productId = await seedProduct(db.sql, shopId);
});

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
  ...readRows<[keyof typeof seeds, Values, string]>(__dirname, 'constraints.json'),
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
  ['products', { images: [{ url: '', alt_text: 'ü', position: null }] }],
  ['products', { memberships: [{ collection_external_id: '1', position: -2147483648 }] }],
])('%s accept %j', async (table, values) => {
  expect(await seeds[table](values)).toEqual(expect.any(String));
});

it('no table has a column for an e-mail address (D25)', async () => {
  expect(
    await db.sql("SELECT FROM information_schema.columns WHERE column_name LIKE '%mail%' AND table_schema = 'public'"),
  ).toEqual([]);
});
