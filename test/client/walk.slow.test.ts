import { seedApiKey, seedShop } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';
import { createProcessClock, createWatchedClient } from './support';

/** Some windows of the limit: 250 pages, of which a minute allows 120. */
const products = 50_000;
const clock = createProcessClock();
let service: Service;
let apiKey: string;

beforeAll(async () => {
  service = await startService();
  const shopId = await seedShop(service.sql);
  ({ apiKey } = await seedApiKey(service.sql, shopId));
  await service.sql(
    `INSERT INTO products (shop_id, external_id, title, created_at, updated_at)
     SELECT $1, 'p-' || n, 'Stoneware mug no. ' || n, date_trunc('hour', moment), moment
       FROM generate_series(1, ${products}) AS n, LATERAL (SELECT timestamp '2026-01-01' + n * interval '1 second') AS _ (moment)`,
    [shopId],
  );
});
afterAll(() => service.close());
afterAll(() => jest.useRealTimers());

it(`reads ${products} products against the limit of 120 calls a minute: no call fails, no product is lost or repeated`, async () => {
  const { client, calls } = createWatchedClient({ origin: service.origin, credentials: { apiKey }, clock });
  // Another client uses the same key without the shared count.
  const stranger = service.client(apiKey);
  const seen = new Set<string>();
  let count = 0;
  const start = clock.now();
  for await (const { external_id } of client.products.list()) {
    seen.add(external_id);
    if (count % 2000 === 0) await stranger.get('/shop');
    count += 1;
  }
  expect([seen.size, count]).toEqual([products, products]);
  const statuses = calls.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(products / 200);
  // Each of the two waits between windows may meet the stranger's calls once.
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  expect(statuses.filter((status) => status === 429).length).toBeLessThanOrEqual(3);
  const minutes = (clock.now() - start) / 60_000;
  process.stdout.write(
    `${count} products, ${statuses.length} calls, ${statuses.filter((status) => status === 429).length} refused, ${minutes.toFixed(1)} minutes of the clock\n`,
  );
});
