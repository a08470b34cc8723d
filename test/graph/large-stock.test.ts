import { seedProduct, seedShop, seedVariant } from '../support/seed';
import { useTestDatabase } from '../support/test-database';

let shop: string;
const test = useTestDatabase();
beforeAll(async () => {
  shop = await seedShop(test.sql);
});

const most = 2n ** 53n - 1n;

describe('stock that JSON does not express exactly (D22)', () => {
  it.each([
    [1n, [most, 1n]],
    [1n, [most, most]],
    [-1n, [most, 1n]],
  ])('cannot be written: %i times the sum of %s', async (sign, quantities) => {
    const id = await seedProduct(test.sql, shop);
    const seed = async () => {
      for (const quantity of quantities)
        await seedVariant(test.sql, shop, id, { inventory_quantity: String(sign * quantity) });
    };
    await expect(seed()).rejects.toMatchObject({ constraint: 'products_total_stock_check' });
  });

  it('cannot be written either if PostgreSQL cannot add it up', async () => {
    const id = await seedProduct(test.sql, shop);
    const insert = test.sql(
      `INSERT INTO variants (shop_id, product_id, external_id, title, inventory_quantity, created_at, updated_at)
       SELECT $1, $2, 'v' || n, '', ${most}, now(), now() FROM generate_series(1, 1025) AS n`,
      [shop, id],
    );
    await expect(insert).rejects.toMatchObject({ code: '22003' });
  });
});
