import { exchange } from '../support/rest-client';
import { seedApiKey, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useService } from '../support/service';

let shop: string;
let apiKey: string;
const service = useService({ rateLimit: 1000 });
beforeAll(async () => {
  shop = await seedShop(service.sql);
  ({ apiKey } = await seedApiKey(service.sql, shop));
});

const most = 2n ** 53n - 1n;

async function seedStock(quantities: readonly bigint[]): Promise<string> {
  const id = await seedProduct(service.sql, shop);
  for (const quantity of quantities) await seedVariant(service.sql, shop, id, { inventory_quantity: String(quantity) });
  return id;
}

describe.each([
  ['the largest', 1n],
  ['the smallest', -1n],
])('%s stock that JSON expresses exactly (D22)', (_, sign) => {
  it('is the same number in every response', async () => {
    const id = await seedStock([sign * (most - 2n ** 40n), sign * 2n ** 40n, 0n]);
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
    const query = `{ column: product(id: "${id}") { totalStock } joined: product(id: "${id}") { totalStock variants { id } }
      raw: products(first: 200) { nodes { id totalStock } } resolved: products(first: 200) { nodes { id totalStock variants { id } } } }`;
    const texts = [
      (await exchange(service.origin, `/v1/products/${id}`, { headers })).text,
      (await exchange(service.origin, '/v1/products?limit=200', { headers })).text,
      (await exchange(service.origin, '/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) })).text,
    ];
    const found = texts.map((text) => text.match(/"total_?stock":-?\d+/gi)?.filter((stock) => stock.endsWith(`:${sign * most}`)).length); // prettier-ignore
    expect(found).toEqual([1, 1, 4]);
    expect(texts.join()).not.toContain('"errors"');
  });

  it.each([
    ['one more', [most, 1n], 'products_total_stock_check'],
    ['the same once more', [most, most], 'products_total_stock_check'],
  ])('is the limit for writers: %s', async (__, quantities, constraint) => {
    await expect(seedStock(quantities.map((quantity) => sign * quantity))).rejects.toMatchObject({ constraint });
  });
});

it('more than PostgreSQL can add up is refused, too', async () => {
  const id = await seedProduct(service.sql, shop);
  const insert = service.sql(
    `INSERT INTO variants (shop_id, product_id, external_id, title, inventory_quantity, created_at, updated_at)
     SELECT $1, $2, 'v' || n, '', ${most}, now(), now() FROM generate_series(1, 1025) AS n`,
    [shop, id],
  );
  await expect(insert).rejects.toMatchObject({ code: '22003' });
});
