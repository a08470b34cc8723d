import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/config';
import { ensureDemoShop } from '../../src/demo/demo-shop';
import { exampleDocument } from '../../src/http/endpoints/explorer/examples';
import { askGraphql } from '../support/graphql-client';
import { startService } from '../support/service';

interface Shown {
  readonly products: { readonly nodes: readonly { readonly minPrice: string | null; readonly totalStock: number }[] };
  readonly orders: { readonly nodes: readonly { readonly createdAt: string | null }[] };
}

it("the explorer's example shows on the demo shop what it says: the most expensive products in stock, the latest orders", async () => {
  const service = await startService();
  const config = loadConfig({ DATA_DIR: mkdtempSync(join(tmpdir(), 'catalog-example-')) });
  const demo = await ensureDemoShop(service.database.database, config, Date.now);
  const { data, errors } = await askGraphql<Shown>(service.origin, demo?.apiKey, exampleDocument);
  const [mostExpensive] = await service.sql(
    'SELECT max(min_price::numeric)::text AS price FROM products WHERE total_stock > 0',
  );
  const [latest] = await service.sql('SELECT max(created_at) AS date FROM orders');
  await service.close();

  expect(errors).toBeUndefined();
  const prices = data.products.nodes.map(({ minPrice }) => Number(minPrice ?? NaN));
  expect(prices).toEqual([...prices].sort((one, other) => other - one));
  expect(prices[0]).toBe(Number(mostExpensive?.['price']));
  expect(data.products.nodes.filter(({ totalStock }) => totalStock < 1)).toEqual([]);
  const dates = data.orders.nodes.map(({ createdAt }) => Date.parse(createdAt ?? ''));
  expect(dates).toEqual([...dates].sort((one, other) => other - one));
  expect(dates[0]).toBe((latest?.['date'] as Date).getTime());
});
