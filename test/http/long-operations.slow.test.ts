import { randomUUID } from 'node:crypto';
import { askGraphql } from '../support/graphql-client';
import { seedApiKey, seedOrder, seedShop } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

const pageSize = 150;

let service: Service;
let apiKey: string;
let ids: readonly string[];

beforeAll(async () => {
  service = await startService({
    rateLimit: 10_000,
    databaseLimits: { statementTimeoutMilliseconds: 50_000, connectionTimeoutMilliseconds: 50_000 },
    settings: { REQUEST_TIMEOUT_MS: '50000' },
  });
  const shop = await seedShop(service.sql);
  ({ apiKey } = await seedApiKey(service.sql, shop));
  await service.sql(
    `INSERT INTO products (shop_id, external_id, title, handle, status, created_at, updated_at)
     SELECT $1, n, 'Mug ' || n, 'mug-' || n, 'ACTIVE', timestamptz '2026-01-01Z' + n * interval '1 second', now() FROM generate_series(1, $2::integer) AS n`,
    [shop, pageSize],
  );
  await service.sql(
    `INSERT INTO variants (shop_id, product_id, external_id, title, position, created_at, updated_at)
     SELECT shop_id, id, external_id || '-' || n, 'Size', n, created_at, updated_at FROM products CROSS JOIN generate_series(1, 5) AS n WHERE shop_id = $1`,
    [shop],
  );
  await seedOrder(service.sql, shop);
  const found = await service.sql<{ id: string }>('SELECT id FROM products WHERE shop_id = $1', [shop]);
  ids = found.map(({ id }) => id);
});
afterAll(() => service.close());

const columns = 'id title handle status tags createdAt';
const repeated = (field: string, count: number) =>
  `{ ${Array.from({ length: count }, (_, n) => `f${n}: ${field}`).join(' ')} }`;
const ask = (document: string) => askGraphql<Record<string, unknown>>(service.origin, apiKey, document);

const kinds: readonly [string, () => string, number][] = [
  ['pages of edges', () => `products(first: ${pageSize}) { edges { cursor node { ${columns} } } totalCount }`, 20],
  [
    'products with variants',
    () => `products(first: ${pageSize}) { nodes { id variants { id title product { id } } } pageInfo { endCursor } }`,
    3,
  ],
  ['objects by id', () => `nodes(ids: ${JSON.stringify(ids)}) { id ... on Product { ${columns} } }`, 20],
];

describe('an operation of thousands of objects, which is processed in turns of the event loop', () => {
  it.each(kinds)('%s: is answered as in small parts, interpreted and compiled', async (_, toField, count) => {
    const field = toField();
    const part = (await ask(repeated(field, 1))).data['f0'];
    // A document is interpreted the first time and compiled the second; the same answer is cached from then on.
    for (const spelling of [`# ${randomUUID()}\n`, '', '', '']) {
      const { data, errors } = await ask(spelling + repeated(field, count));
      expect(errors).toBeUndefined();
      expect(Object.keys(data)).toHaveLength(count);
      for (const each of Object.values(data)) expect(each).toEqual(part);
    }
  });
});
