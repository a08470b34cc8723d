import { divideConnections } from '../../src/database/bounded-pool';
import { operationsPerShop } from '../../src/http/endpoints/graphql/graphql-handler';
import { askGraphql } from '../support/graphql-client';
import { untilWaiting, whileLocked } from '../support/locked-table';
import { seedApiKey, seedOrder, seedProduct, seedShop } from '../support/seed';
import { useService } from '../support/service';

/** No run reaches these limits: the test is about the order of events. */
const limits = { statementTimeoutMilliseconds: 50_000, connectionTimeoutMilliseconds: 50_000 };
const poolSize = 10;
const crowd = 40;
const { perShop } = divideConnections(poolSize);

let loud: Caller;
let quiet: Caller;

interface Caller {
  readonly apiKey: string;
  readonly productId: string;
}

const service = useService({
  rateLimit: 100_000,
  poolSize,
  databaseLimits: limits,
  settings: { REQUEST_TIMEOUT_MS: '50000' },
});
beforeAll(async () => {
  [loud, quiet] = [await seedCaller(), await seedCaller()];
});

async function seedCaller(): Promise<Caller> {
  const shop = await seedShop(service.sql);
  const productId = await seedProduct(service.sql, shop);
  await seedOrder(service.sql, shop);
  return { apiKey: (await seedApiKey(service.sql, shop)).apiKey, productId };
}

const get = (path: string, { apiKey }: Caller) =>
  fetch(`${service.origin}/v1${path}`, { headers: { Authorization: `Bearer ${apiKey}` } });

/** All different, so that no response serves two requests. */
const sendMany = (count: number, ask: (index: number) => Promise<{ status: number }>) => {
  const answered: number[] = [];
  const all = Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { status } = await ask(index);
      answered.push(status);
    }),
  );
  return { answered, all };
};

/** Everything that another shop may request. */
async function askQuietly(): Promise<readonly number[]> {
  const statuses = [];
  for (let turn = 1; turn <= 5; turn++) {
    statuses.push((await get('/shop', quiet)).status);
    statuses.push((await get(`/products?limit=${turn}`, quiet)).status);
    statuses.push((await get(`/products/${quiet.productId}`, quiet)).status);
    statuses.push(
      (await askGraphql(service.origin, quiet.apiKey, `{ products(first: ${turn}) { nodes { id } } }`)).status,
    );
  }
  return statuses;
}

describe('while one shop has more calls in progress than there are connections, and their statements never end', () => {
  it.each<[string, (index: number) => Promise<{ status: number }>]>([
    ['REST', (index) => get(`/orders?limit=${index + 1}`, loud)],
    [
      'GraphQL',
      (index) =>
        askGraphql(
          service.origin,
          loud.apiKey,
          `{ ${Array.from({ length: 5 }, (_, n) => `o${n}: orders(first: ${(index + n) % 200}) { nodes { id } }`).join(' ')} }`,
        ),
    ],
  ])('by %s, it has its share of the connections, and another shop is served', async (_, ask) => {
    const { answered, all } = await whileLocked(service.database, 'orders', async () => {
      const calls = sendMany(crowd, ask);
      await untilWaiting(service.database, perShop);
      expect(await askQuietly()).toEqual(Array(20).fill(200));
      expect(calls.answered).toEqual([]);
      await untilWaiting(service.database, perShop);
      return calls;
    });
    await all;
    expect(answered).toEqual(Array(crowd).fill(200));
  });

  it('while it has free connections, its other calls are served too', async () => {
    const { all } = await whileLocked(service.database, 'orders', async () => {
      const calls = sendMany(2, (index) => get(`/orders?limit=${index + 1}`, loud));
      await untilWaiting(service.database, 2);
      expect((await get('/shop', loud)).status).toBe(200);
      expect((await get('/products', loud)).status).toBe(200);
      return calls;
    });
    await all;
  });
});

it('many operations leave nothing behind: clients that disconnect before they are scheduled take no slot', async () => {
  await whileLocked(service.database, 'orders', async () => {
    const leaving = new AbortController();
    const calls = Array.from({ length: operationsPerShop * 5 }, (_, index) =>
      fetch(`${service.origin}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${loud.apiKey}` },
        body: JSON.stringify({ query: `{ orders(first: ${index + 1}) { nodes { id } } }` }),
        signal: leaving.signal,
      }).catch(() => undefined),
    );
    await untilWaiting(service.database, perShop);
    leaving.abort();
    await Promise.all(calls);
    await untilWaiting(service.database, 0);
  });
  const { answered, all } = sendMany(operationsPerShop * 2, (index) =>
    askGraphql(service.origin, loud.apiKey, `{ orders(first: ${index + 1}) { nodes { id } } }`),
  );
  await all;
  expect(answered).toEqual(Array(operationsPerShop * 2).fill(200));
});
