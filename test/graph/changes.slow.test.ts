import { randomUUID } from 'node:crypto';
import { checkDerived } from '../../src/database/derived/check-derived';
import { openDatabase } from '../../src/database/open-database';
import { startApp } from '../support/app';
import { askGraphql } from '../support/graphql-client';
import type { ChangeEntry } from '../support/mirror';
import { Mirror, readTruth } from '../support/mirror';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useService } from '../support/service';
import type { Sql } from '../support/test-database';
import { createTestDatabase, patientLimits } from '../support/test-database';
import { readRows } from '../support/read-rows';

let sql: Sql;
const service = useService({ rateLimit: 1_000_000 });
beforeAll(() => {
  ({ sql } = service);
});

interface Shop {
  readonly shopId: string;
  readonly apiKey: string;
  /** p1 to p5, one day apart, with a variant each: p1v to p5v. */
  readonly ids: Readonly<Record<string, string>>;
}

/** Five products with a variant each, one collection `c` and one order `o`. */
async function seedShopOfFive(columns: Parameters<typeof seedShop>[1] = {}): Promise<Shop> {
  const shopId = await seedShop(sql, columns);
  const { apiKey } = await seedApiKey(sql, shopId);
  const ids: Record<string, string> = {};
  for (let day = 1; day <= 5; day += 1) {
    const created_at = `2026-01-0${day}T00:00:00Z`;
    const product = await seedProduct(sql, shopId, { external_id: `p${day}`, created_at });
    ids[`p${day}`] = product;
    ids[`p${day}v`] = await seedVariant(sql, shopId, product, { external_id: `p${day}v`, price: `${day}.00` });
  }
  ids['c'] = await seedCollection(sql, shopId, { external_id: 'c' });
  ids['o'] = await seedOrder(sql, shopId, { external_id: 'o' });
  for (const [name, id] of Object.entries(ids)) names.set(id, name);
  return { shopId, apiKey, ids };
}

/** The objects of all shops here by id, because an entry of a deleted object has no other name. */
const names = new Map<string, string>();

/** In order: `p1` for an object that exists, `-p1` for one that does not, `-?` for one that was never seen. */
const toWords = (changes: readonly ChangeEntry[]): string[] =>
  changes.map(({ id, externalId, deleted }) => {
    expect([id, externalId === null]).toEqual([id, deleted]);
    if (externalId !== null) names.set(id, externalId);
    return `${deleted ? '-' : ''}${names.get(id) ?? '?'}`;
  });

const everything = ['p1', 'p2', 'p3', 'p4', 'p5', 'p1v', 'p2v', 'p3v', 'p4v', 'p5v', 'c', 'o'];

interface Trap {
  readonly limit?: number;
  /** Statements, each in a separate transaction. `$shop`, `$p1` and `$new` stand for ids. */
  readonly writes: readonly string[];
  /** What the feed returns afterwards, sorted. */
  readonly brings: readonly string[];
}

/** What `catalog check` finds in a shop, because a mirror does not see everything that an entry contains. */
async function findDifferences(shopId: string) {
  const [row] = await sql<{ domain: string }>('SELECT domain FROM shops WHERE shop_id = $1', [shopId]);
  const { url } = service.database;
  return (await checkDerived({ url, domain: row?.domain, repair: false, onShop: () => undefined })).differences;
}

const traps = readRows<readonly [what: string, trap: Trap]>(__dirname, 'change-traps.json');

describe('the change feed brings', () => {
  it.each(traps)('%s', async (_, { limit, writes, brings }) => {
    const shop = await seedShopOfFive(limit === undefined ? {} : { product_limit: limit });
    const other = await seedShopOfFive();
    const mirrors = [1, 2, 200].map((size) => ({ size, mirror: new Mirror(service.origin, shop.apiKey) }));
    for (const { size, mirror } of mirrors) await mirror.drain(size);
    const bystander = new Mirror(service.origin, other.apiKey);
    await bystander.drain();
    const newId = randomUUID();
    for (const write of writes) {
      await sql(
        write.replaceAll(
          /\$(\w+)/g,
          (__, name: string) => `'${name === 'shop' ? shop.shopId : name === 'new' ? newId : shop.ids[name]}'`,
        ),
      );
    }
    for (const { size, mirror } of mirrors) {
      expect(toWords(await mirror.drain(size)).sort()).toEqual([...brings].sort());
      expect(mirror.state()).toEqual(await readTruth(sql, shop.shopId));
      expect(await mirror.drain()).toEqual([]);
    }
    expect(await bystander.drain()).toEqual([]);
    expect(await findDifferences(shop.shopId)).toEqual([]);
  });
});

it.each([
  ['products', 'p1'],
  ['variants', 'p1v'],
  ['collections', 'c'],
  ['orders', 'o'],
])('an object of %s that was deleted without triggers has no external id, and breaks no page', async (table, name) => {
  const shop = await seedShopOfFive();
  await sql(
    `SET session_replication_role = replica; DELETE FROM ${table} WHERE id = '${shop.ids[name]}'; RESET session_replication_role`,
  );
  for (const size of [1, 200]) {
    const changes = await new Mirror(service.origin, shop.apiKey).drain(size);
    expect(changes.filter(({ id }) => id === shop.ids[name])).toEqual([
      expect.objectContaining({ externalId: null, deleted: true, node: null }),
    ]);
    const lost = name === 'p1' ? ['p1', 'p1v'] : [name];
    expect(
      toWords(changes)
        .filter((word) => !word.startsWith('-'))
        .sort(),
    ).toEqual(everything.filter((each) => !lost.includes(each)).sort());
  }
});

it('a cursor from before a full read, and the changes after it, give the current state', async () => {
  const shop = await seedShopOfFive();
  const { data } = await askGraphql<{ shop: { changesCursor: string }; changes: { changesCursor: string } }>(
    service.origin,
    shop.apiKey,
    '{ shop { changesCursor } changes(first: 0) { changesCursor } }',
  );
  expect(data.changes.changesCursor).toBe(data.shop.changesCursor);
  for (const types of [undefined, ['PRODUCT'], ['ORDER', 'VARIANT']] as const) {
    const mirror = new Mirror(service.origin, shop.apiKey, types);
    mirror.cursor = data.shop.changesCursor;
    expect(await mirror.drain()).toEqual([]);
  }
  const mirror = new Mirror(service.origin, shop.apiKey);
  mirror.cursor = data.shop.changesCursor;
  await sql("UPDATE products SET title = 'During the walk' WHERE id = $1", [shop.ids['p1']]);
  expect(toWords(await mirror.drain())).toEqual(['p1']);
});

it('types are read separately, and bind the cursor', async () => {
  const shop = await seedShopOfFive();
  const orders = new Mirror(service.origin, shop.apiKey, ['ORDER']);
  expect(toWords(await orders.drain())).toEqual(['o']);
  await sql("UPDATE products SET title = 'x' WHERE shop_id = $1", [shop.shopId]);
  expect(await orders.drain()).toEqual([]);
  const { errors } = await orders.ask({ after: orders.cursor, types: ['ORDER', 'PRODUCT'] });
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' }, path: ['changes'] }]);
  // Order and repetitions do not matter.
  const again = await orders.ask({ after: orders.cursor, types: ['ORDER', 'ORDER'] });
  expect(again.errors).toBeUndefined();
});

describe('scopes', () => {
  const catalogTypes = ['p1', 'p2', 'p3', 'p4', 'p5', 'p1v', 'p2v', 'p3v', 'p4v', 'p5v', 'c'];
  it.each([
    { scopes: ['catalog:read'], sees: catalogTypes, refused: 'ORDER' },
    { scopes: ['orders:read'], sees: ['o'], refused: 'VARIANT' },
    { scopes: ['orders:read', 'account:read'], sees: ['o'], refused: 'PRODUCT' },
    { scopes: ['orders:read', 'catalog:read'], sees: everything, refused: undefined },
  ])('$scopes', async ({ scopes, sees, refused }) => {
    const { shopId } = await seedShopOfFive();
    const { apiKey } = await seedApiKey(sql, shopId, { scopes });
    const mirror = new Mirror(service.origin, apiKey);
    expect(toWords(await mirror.drain()).sort()).toEqual([...sees].sort());
    if (refused === undefined) return;
    const answer = await mirror.ask({ types: [refused] });
    expect(answer).toMatchObject({ data: { changes: null }, errors: [{ extensions: { code: 'FORBIDDEN' } }] });
  });

  it('a credential for neither is refused', async () => {
    const { shopId } = await seedShopOfFive();
    const { apiKey } = await seedApiKey(sql, shopId, { scopes: ['account:read'] });
    const answer = await new Mirror(service.origin, apiKey).ask({});
    expect(answer).toMatchObject({ data: { changes: null }, errors: [{ extensions: { code: 'FORBIDDEN' } }] });
  });
});

it.each([
  [{ first: 201 }, 'first: expected an integer from 0 to 200, got 201.'],
  [{ first: -1 }, 'first: expected an integer from 0 to 200, got -1.'],
  [{ types: [] }, 'types: expected one or more of PRODUCT, VARIANT, COLLECTION, ORDER, got an empty list.'],
  [
    { after: 'nonsense' },
    'after: expected a cursor of the change feed for the same types (by default, those of the scopes), a `Shop.changesCursor`, or the `changes_cursor` of an export.',
  ],
  [
    { after: '' },
    'after: expected a cursor of the change feed for the same types (by default, those of the scopes), a `Shop.changesCursor`, or the `changes_cursor` of an export.',
  ],
])('%j is refused: %s', async (variables, message) => {
  const { apiKey } = await seedShopOfFive();
  const { errors } = await new Mirror(service.origin, apiKey).ask(variables);
  expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }]);
});

it("another shop's cursor, and one of a list, is refused", async () => {
  const [own, other] = [await seedShopOfFive(), await seedShopOfFive()];
  const mirror = new Mirror(service.origin, other.apiKey);
  await mirror.drain();
  const { data } = await askGraphql<{ products: { pageInfo: { endCursor: string } }; shop: { changesCursor: string } }>(
    service.origin,
    other.apiKey,
    '{ products { pageInfo { endCursor } } shop { changesCursor } }',
  );
  for (const after of [mirror.cursor, data.products.pageInfo.endCursor, data.shop.changesCursor]) {
    const { errors } = await new Mirror(service.origin, own.apiKey).ask({ after });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  }
});

it("shows no e-mail address of a customer, not even in a deleted order's id", async () => {
  const shop = await seedShopOfFive();
  const mirror = new Mirror(service.origin, shop.apiKey, ['ORDER']);
  const ids = [
    await seedOrder(sql, shop.shopId, { external_id: 'bob@example.com' }),
    await seedOrder(sql, shop.shopId, { external_id: 'carol [at] example.com' }),
  ];
  await mirror.drain();
  await sql('DELETE FROM orders WHERE id = ANY ($1)', [ids]);
  const changes = await mirror.drain();
  expect(changes.map(({ id, externalId }) => [id, externalId]).sort()).toEqual(ids.map((id) => [id, null]).sort());
});

it('a product that no reader could ever see has an entry with only its id, on every surface', async () => {
  const shopId = await seedShop(sql, { product_limit: 1 });
  const { apiKey } = await seedApiKey(sql, shopId);
  await seedProduct(sql, shopId, { external_id: 'seen', created_at: '2026-01-01T00:00:00Z' });
  const hidden = await seedProduct(sql, shopId, { external_id: 'never-seen', created_at: '2026-01-02T00:00:00Z' });
  await seedVariant(sql, shopId, hidden, { external_id: 'never-seen-variant' });
  const gone = await seedProduct(sql, shopId, { external_id: 'never-seen-gone', created_at: '2026-01-03T00:00:00Z' });
  await sql('DELETE FROM products WHERE id = $1', [gone]);
  const headers = { Authorization: `Bearer ${apiKey}` };
  const tool = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_changes' } };
  const stream = await fetch(`${service.origin}/changes`, { headers: { ...headers, Accept: 'text/event-stream' } });
  let events = '';
  for await (const text of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    events += text;
    if (events.includes('event: current')) break;
  }
  const answers = [
    (await new Mirror(service.origin, apiKey).ask({})).text,
    (await exchange(service.origin, '/changes', { headers })).text,
    (await exchange(service.origin, '/changes?wait=1', { headers })).text,
    (
      await exchange(service.origin, '/mcp', {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(tool),
      })
    ).text,
    events,
  ];
  for (const answer of answers) {
    expect(answer).toContain(hidden);
    expect(answer).toContain(gone);
    expect(answer).not.toContain('never-seen');
  }
});

describe('a shop whose data goes back to an earlier state', () => {
  const expectResync = async (mirror: Mirror) => {
    const answer = await mirror.ask({ after: mirror.cursor });
    expect(answer).toMatchObject({ data: { changes: null }, errors: [{ extensions: { code: 'RESYNC_REQUIRED' } }] });
  };

  it('refuses every client when an operator says so', async () => {
    const [shop, other] = [await seedShopOfFive(), await seedShopOfFive()];
    const [mirror, bystander] = [new Mirror(service.origin, shop.apiKey), new Mirror(service.origin, other.apiKey)];
    await mirror.drain();
    await bystander.drain();
    await sql('SELECT catalog_restart_changes($1)', [shop.shopId]);
    await expectResync(mirror);
    expect(await bystander.drain()).toEqual([]);
    await sql('SELECT catalog_restart_changes()');
    await expectResync(bystander);
    const again = new Mirror(service.origin, shop.apiKey);
    await again.drain();
    expect(again.state()).toEqual(await readTruth(sql, shop.shopId));
  });

  it('detects a copy of the database automatically', async () => {
    const source = await createTestDatabase();
    const settings = { RATE_LIMIT_REQUESTS: '1000' };
    const first = openDatabase({ url: source.url, poolSize: 4, ...patientLimits });
    const before = await startApp({ database: first }, settings);
    const shopId = await seedShop(source.sql);
    const { apiKey } = await seedApiKey(source.sql, shopId);
    const product = await seedProduct(source.sql, shopId);
    const [early, late] = [1, 2].map(() => new Mirror(before.origin, apiKey)) as [Mirror, Mirror];
    await early.drain();
    await before.app.close(0);
    await first.close();
    const copyName = `${new URL(source.url).pathname.slice(1)}_copy`;
    const copyUrl = Object.assign(new URL(source.url), { pathname: `/${copyName}` }).href;
    await service.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${copyName.slice(0, -5)}' AND pid <> pg_backend_pid()`,
    );
    await service.sql(`CREATE DATABASE ${copyName} TEMPLATE ${copyName.slice(0, -5)}`);
    // The first database continues, seen by one client.
    const more = openDatabase({ url: source.url, poolSize: 4, ...patientLimits });
    const meanwhile = await startApp({ database: more }, settings);
    await source.sql("UPDATE products SET title = 'lost' WHERE id = $1", [product]);
    const seer = new Mirror(meanwhile.origin, apiKey);
    await seer.drain();
    late.cursor = seer.cursor;
    await meanwhile.app.close(0);
    await more.close();
    // The copy takes its place.
    const copy = openDatabase({ url: copyUrl, poolSize: 4, ...patientLimits });
    const after = await startApp({ database: copy }, settings);
    try {
      const written = await copy.readRows({
        text: "UPDATE shops SET name = 'restored'",
        sql: "UPDATE shops SET name = 'restored'",
        strings: ["UPDATE shops SET name = 'restored'"],
        values: [],
      } as never);
      expect(written).toEqual([]);
      const [of, lost] = [new Mirror(after.origin, apiKey), new Mirror(after.origin, apiKey)];
      of.cursor = early.cursor;
      lost.cursor = late.cursor;
      expect(await of.drain()).toEqual([]);
      await expectResync(lost);
    } finally {
      await after.app.close(0);
      await copy.close();
      await service.sql(`DROP DATABASE ${copyName} WITH (FORCE)`);
      await source.drop();
    }
  });
});

it('a deleted shop leaves nothing, and a new one with the same id starts fresh', async () => {
  const shop = await seedShopOfFive({ product_limit: 3 });
  const mirror = new Mirror(service.origin, shop.apiKey);
  await mirror.drain();
  await sql('DELETE FROM shops WHERE shop_id = $1', [shop.shopId]);
  expect(await sql('SELECT FROM changes WHERE shop_id = $1', [shop.shopId])).toEqual([]);
  expect(await sql('SELECT FROM change_epochs WHERE shop_id = $1', [shop.shopId])).toEqual([]);
  await seedShop(sql, { shop_id: shop.shopId });
  const { apiKey } = await seedApiKey(sql, shop.shopId);
  const again = new Mirror(service.origin, apiKey);
  again.cursor = mirror.cursor;
  const { errors } = await again.ask({ after: mirror.cursor });
  expect(errors).toMatchObject([{ extensions: { code: 'RESYNC_REQUIRED' } }]);
});
