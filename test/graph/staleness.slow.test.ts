import type { App } from '../../src/http/server/open-server';
import type { Database } from '../../src/database/database';
import { openDatabase } from '../../src/database/open-database';
import { startApp } from '../support/app';
import { seedApiKey, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';

/**
 * A value that one writer changes repeatedly. Its values are numbered: what a reader saw must be no older than the last
 * one committed before its request, and no newer than the last one begun before its response.
 */
class Fact {
  begun = 0;
  committed = 0;
  readonly #write: (value: number) => Promise<unknown>;

  constructor(write: (value: number) => Promise<unknown>) {
    this.#write = write;
  }

  async change(): Promise<void> {
    this.begun += 1;
    await this.#write(this.begun);
    this.committed = this.begun;
  }

  /** Call it before a request. @returns the values that the next response may show */
  observe(): () => readonly number[] {
    const oldest = this.committed;
    return () => Array.from({ length: this.begun - oldest + 1 }, (_, index) => oldest + index);
  }
}

/** A minimum. `npm run model -- --minutes N` sets it; otherwise each reader sends 50 requests. */
const minutes = Number(process.env['MODEL_MINUTES'] ?? 0);
jest.setTimeout((minutes + 10) * 60_000);

let testDatabase: TestDatabase;
const processes: { app: App; database: Database; origin: string }[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  for (let index = 0; index < 2; index += 1) {
    const database = openDatabase({ url: testDatabase.url, poolSize: 5, connectionTimeoutMilliseconds: 30_000 });
    const { app, origin } = await startApp(
      { database },
      {
        RATE_LIMIT_REQUESTS: '1000000',
        // The test is about stale responses, not slow ones.
        REQUEST_TIMEOUT_MS: '30000',
      },
    );
    processes.push({ app, database, origin });
  }
});
afterAll(async () => {
  for (const { app, database } of processes) {
    await app.close(0);
    await database.close();
  }
  await testDatabase.drop();
});

/** REST responses that both processes served from the cache. */
async function countFromMemory(): Promise<number> {
  const texts = await Promise.all(processes.map(async ({ origin }) => (await fetch(`${origin}/metrics`)).text()));
  return texts.reduce((sum, text) => sum + Number(/outcome="hit"\} (\d+)/.exec(text)?.[1] ?? 0), 0);
}

interface Product {
  readonly title: string;
  readonly variants?: readonly { readonly price: string }[];
}

describe('a response', () => {
  it('is never older than what was committed before the request, whatever the writer, the process, the cache or 304', async () => {
    const { sql } = testDatabase;
    const shop = await seedShop(sql, { product_limit: 100 });
    const product = await seedProduct(sql, shop, { title: 'v0', created_at: '2025-01-01T00:00:00Z' });
    const variant = await seedVariant(sql, shop, product, { price: '0.00' });
    const second = await seedProduct(sql, shop, { created_at: '2025-01-02T00:00:00Z' });
    const third = await seedProduct(sql, shop, { created_at: '2025-01-03T00:00:00Z' });
    const { apiKey } = await seedApiKey(sql, shop);
    const planned = await seedShop(sql);
    const plannedKey = (await seedApiKey(sql, planned)).apiKey;
    const keyed = await seedShop(sql);
    const { apiKey: revokedKey, clientId } = await seedApiKey(sql, keyed);

    const facts = {
      title: new Fact((value) => sql('UPDATE products SET title = $2 WHERE id = $1', [product, `v${value}`])),
      price: new Fact((value) => sql('UPDATE variants SET price = $2 WHERE id = $1', [variant, `${value}.00`])),
      deleted: new Fact((value) =>
        sql('UPDATE products SET deleted_at = CASE WHEN $2 THEN now() END WHERE id = $1', [second, value % 2 === 1]),
      ),
      limit: new Fact((value) =>
        sql('UPDATE shops SET product_limit = $2 WHERE shop_id = $1', [shop, value % 2 === 1 ? 1 : 100]),
      ),
      plan: new Fact((value) =>
        sql('UPDATE shops SET plan = $2 WHERE shop_id = $1', [planned, value % 2 === 1 ? 'pro' : 'business']),
      ),
      revoked: new Fact((value) =>
        sql('UPDATE api_keys SET revoked_at = CASE WHEN $2 THEN now() END WHERE client_id LIKE $1', [
          `%${clientId.split('_').at(-1)}`,
          value % 2 === 1,
        ]),
      ),
    };

    // Every response that a reader holds, by its request: a 304 confirms that it is still valid.
    const held = new Map<string, { etag: string; body: unknown }>();
    let round = 0;
    let notModified = 0;
    const ask = async (key: string, path: string, query?: string) => {
      const { origin } = processes[round++ % 2] as (typeof processes)[number];
      const known = held.get(`${key} ${path}`);
      const response = await fetch(origin + path, {
        headers: {
          authorization: `Bearer ${key}`,
          ...(query === undefined ? {} : { 'content-type': 'application/json' }),
          ...(known === undefined || round % 3 === 0 ? {} : { 'if-none-match': known.etag }),
        },
        ...(query === undefined ? {} : { method: 'POST', body: JSON.stringify({ query }) }),
      });
      if (response.status === 304) {
        notModified += 1;
        return { status: 200, body: known?.body };
      }
      const body: unknown = await response.json();
      const etag = response.headers.get('etag');
      if (response.status === 200 && etag !== null) held.set(`${key} ${path}`, { etag, body });
      return { status: response.status, body };
    };

    /** One list in one snapshot: the title of each product, and which products exist at all. */
    async function readList(read: () => Promise<readonly { readonly id: string; readonly title: string }[]>) {
      const [titles, deletions, limits] = [facts.title.observe(), facts.deleted.observe(), facts.limit.observe()];
      const products = await read();
      expect(titles().map((value) => `v${value}`)).toContain(products[0]?.title);
      const possible = deletions().flatMap((deletion) =>
        limits().map((limit) => [product, ...(deletion % 2 ? [] : [second]), third].slice(0, limit % 2 ? 1 : 3).join()),
      );
      expect(possible).toContain(products.map(({ id }) => id).join());
    }
    async function readProduct(read: () => Promise<Product | undefined>) {
      const [titles, prices] = [facts.title.observe(), facts.price.observe()];
      const found = await read();
      expect(titles().map((value) => `v${value}`)).toContain(found?.title);
      expect(prices().map((value) => `${value}.00`)).toContain(found?.variants?.[0]?.price);
    }
    async function readStatus(fact: Fact, key: string, refused: number) {
      const values = fact.observe();
      const { status } = await ask(key, '/v1/shop');
      expect(values().map((value) => (value % 2 ? refused : 200))).toContain(status);
    }

    type List = readonly { readonly id: string; readonly title: string }[];
    const graphql = async <Data>(query: string) => ((await ask(apiKey, '/graphql', query)).body as { data: Data }).data;
    const readers = [
      () => readList(async () => ((await ask(apiKey, '/v1/products')).body as { data: List }).data),
      () =>
        readList(
          async () =>
            (await graphql<{ products: { nodes: List } }>('{ products { nodes { id title } } }')).products.nodes,
        ),
      () =>
        readList(async () =>
          (
            await graphql<{ products: { edges: readonly { node: List[number] }[] } }>(
              '{ products { edges { node { id title } } } }',
            )
          ).products.edges.map(({ node }) => node),
        ),
      () => readProduct(async () => ((await ask(apiKey, `/v1/products/${product}`)).body as { data: Product }).data),
      () =>
        readProduct(
          async () =>
            (await graphql<{ product: Product }>(`{ product(id: "${product}") { title variants { price } } }`)).product,
        ),
      () => readStatus(facts.plan, plannedKey, 403),
      () => readStatus(facts.revoked, revokedKey, 401),
    ];

    const end = Date.now() + minutes * 60_000;
    let reading = true;
    const isEnough = () => notModified > 0 && Object.values(facts).every(({ committed }) => committed > 10);
    const writing = Object.values(facts).map(async (fact) => {
      while (reading) {
        await fact.change();
        // Occasionally long enough for responses to be cached and requested again.
        for (let pause = (fact.begun % 8) ** 2; pause > 0; pause -= 1) await sql('SELECT 1');
      }
    });
    try {
      await Promise.all(
        readers.map(async (read) => {
          for (let count = 0; count < 50 || Date.now() < end || !isEnough(); count += 1) await read();
        }),
      );
    } finally {
      reading = false;
      await Promise.all(writing);
    }
    expect(await countFromMemory()).toBeGreaterThan(0);
    // When all writers are done, everything is as last written.
    for (const read of readers) await read();
  });
});
