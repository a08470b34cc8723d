import { askGraphql } from '../support/graphql-client';
import { seedApiKey, seedProduct, seedShop } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

let service: Service;
beforeAll(async () => {
  service = await startService({ rateLimit: 10_000 });
});
afterAll(() => service.close());

const document = '{ shop { grantedScopes } products { totalCount nodes { title } } }';

describe('a cached GraphQL answer', () => {
  it('is the same, byte for byte, as the one that was made', async () => {
    const shop = await seedShop(service.sql);
    await seedProduct(service.sql, shop, { title: 'Becher „groß“ 🍵 \u2028' });
    const { apiKey } = await seedApiKey(service.sql, shop);
    const first = await askGraphql(service.origin, apiKey, document);
    const later = [1, 2, 3].map(() => askGraphql(service.origin, apiKey, document));
    for (const { text } of await Promise.all(later)) expect(text).toBe(first.text);
    expect((await askGraphql(service.origin, apiKey, document)).text).toBe(first.text);
    expect(first.data).toMatchObject({ products: { totalCount: 1, nodes: [{ title: 'Becher „groß“ 🍵 \u2028' }] } });
  });

  it('is never older than a commit that came before the request', async () => {
    const shop = await seedShop(service.sql);
    const { apiKey } = await seedApiKey(service.sql, shop);
    for (let count = 1; count <= 20; count += 1) {
      await seedProduct(service.sql, shop);
      const { data } = await askGraphql<{ products: { totalCount: number } }>(service.origin, apiKey, document);
      expect(data.products.totalCount).toBe(count);
      // Cached from the second time on.
      await askGraphql(service.origin, apiKey, document);
      await askGraphql(service.origin, apiKey, document);
    }
  });

  it('belongs to one set of scopes, one shop, one operation and its variables', async () => {
    const shop = await seedShop(service.sql);
    const other = await seedShop(service.sql);
    await seedProduct(service.sql, shop, { title: 'Ours' });
    const whole = await seedApiKey(service.sql, shop);
    const narrow = await seedApiKey(service.sql, shop, { scopes: ['catalog:read'] });
    const theirs = await seedApiKey(service.sql, other);
    const two = 'query A { products { nodes { title } } } query B { products { totalCount } }';
    const paged = 'query ($first: Int) { products(first: $first) { nodes { title } } }';
    const ask = (key: string, text: string, variables = {}, operationName?: string) =>
      askGraphql(service.origin, key, text, variables, {}, operationName).then(({ data }) => data);

    for (const _ of ['made', 'made again, and cached', 'from the cache']) {
      expect(await ask(whole.apiKey, document)).toMatchObject({
        shop: { grantedScopes: expect.any(Array) as unknown },
      });
      expect(await ask(narrow.apiKey, document)).toMatchObject({ shop: null, products: { totalCount: 1 } });
      expect(await ask(theirs.apiKey, document)).toMatchObject({ products: { totalCount: 0 } });
      expect(await ask(whole.apiKey, two, {}, 'A')).toEqual({ products: { nodes: [{ title: 'Ours' }] } });
      expect(await ask(whole.apiKey, two, {}, 'B')).toEqual({ products: { totalCount: 1 } });
      expect(await ask(whole.apiKey, paged, { first: 0 })).toEqual({ products: { nodes: [] } });
      expect(await ask(whole.apiKey, paged, { first: 1 })).toEqual({ products: { nodes: [{ title: 'Ours' }] } });
    }
  });
});
