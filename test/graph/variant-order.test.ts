import { askGraphql } from '../support/graphql-client';
import { seedApiKey, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

it('variants of a product are in the order of their positions, whatever their ids, in both directions (D9)', async () => {
  const shop = await seedShop(service.sql);
  const { apiKey } = await seedApiKey(service.sql, shop);
  const product = await seedProduct(service.sql, shop, {});
  const ids = Array.from({ length: 12 }, (_, at) => `${String(90 - at)}000000-0000-4000-8000-000000000000`);
  for (const [at, id] of ids.entries()) await seedVariant(service.sql, shop, product, { id, position: at + 1 });
  const page = 'nodes { id }';
  const { data } = await askGraphql<{ product: Record<string, { nodes: { id: string }[] }> }>(
    service.origin,
    apiKey,
    `query ($id: ID!) { product(id: $id) { first: variantConnection(first: 5) { ${page} } last: variantConnection(last: 5) { ${page} } } }`,
    { id: product },
  );
  const idsOf = (name: string) => data?.product[name]?.nodes.map(({ id }) => id);
  expect([idsOf('first'), idsOf('last')]).toEqual([ids.slice(0, 5), ids.slice(-5)]);
});
