import { seedApiKey, seedShop } from '../support/seed';
import { startService } from '../support/service';

it('leaves no interval behind: it would keep a closed application in memory', async () => {
  const start = jest.spyOn(globalThis, 'setInterval');
  const clear = jest.spyOn(globalThis, 'clearInterval');
  const service = await startService();
  const { apiKey } = await seedApiKey(service.sql, await seedShop(service.sql));
  await Promise.all(
    ['/v1/products', '/v1/shop', '/v1/none', '/healthz'].map((path) => service.client(apiKey).get(path)),
  );
  await service.close();
  const started = start.mock.results.map(({ value }) => value as NodeJS.Timeout);
  const cleared = new Set<unknown>(clear.mock.calls.map(([timer]) => timer));
  expect(started.length).toBeGreaterThan(0);
  expect(started.map((timer) => cleared.has(timer))).not.toContain(false);
});
