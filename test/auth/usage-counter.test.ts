import { listApiKeys, listKeyUsage } from '../../src/auth/api-keys';
import { UsageCounter } from '../../src/auth/usage-counter';
import { askGraphql } from '../support/graphql-client';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedProduct, seedShop } from '../support/seed';
import { startService, useService } from '../support/service';

const service = useService({ rateLimit: 8 });

interface Row {
  readonly requests: string;
  readonly rate_limited: string;
  readonly errors: string;
  readonly bytes: string;
  readonly cost: string;
}

const rowsOf = (shopId: string) =>
  service.sql<Row>('SELECT requests, rate_limited, errors, bytes, cost FROM key_usage WHERE shop_id = $1', [shopId]);

const day = 86_400_000;

async function seedKey(domain?: string) {
  const shopId = await seedShop(service.sql, domain === undefined ? {} : { domain });
  return { shopId, ...(await seedApiKey(service.sql, shopId)) };
}

describe('the usage of a key', () => {
  it('counts calls, refusals, bytes and cost, and is written when the process stops', async () => {
    const stopping = await startService({ rateLimit: 8 });
    try {
      const shopId = await seedShop(stopping.sql);
      await seedProduct(stopping.sql, shopId);
      const { apiKey } = await seedApiKey(stopping.sql, shopId);
      const headers = { Authorization: `Bearer ${apiKey}` };
      for (const path of ['/v1/products', '/v1/products', '/v1/products/x', '/v1/orders?limit=0'])
        await exchange(stopping.origin, path, { headers });
      await askGraphql(stopping.origin, apiKey, '{ products(first: 3) { nodes { id } } }');
      for (let call = 5; call < 11; call += 1) await exchange(stopping.origin, '/v1/products', { headers });
      await stopping.stop(5_000);
      const [row] = await stopping.sql<Row>('SELECT * FROM key_usage WHERE shop_id = $1', [shopId]);
      expect(row).toMatchObject({ requests: '11', rate_limited: '3', errors: '2' });
      expect(Number(row?.cost)).toBeGreaterThan(0);
      expect(Number(row?.bytes)).toBeGreaterThan(11 * 500);
    } finally {
      await stopping.close();
    }
  });

  const principal = (shopId: string, clientId: string) => ({ shop: { id: shopId }, clientId }) as never;

  function createCounter(database: ConstructorParameters<typeof UsageCounter>[0]['database'], clock = Date.now) {
    const errors: unknown[] = [];
    const counter = new UsageCounter({
      database,
      clock,
      onError: (error) => errors.push(error),
      intervalMilliseconds: 600_000,
    });
    return { counter, errors };
  }

  it('is one statement for all keys of a minute, and adds up over processes and days', async () => {
    const shops = await Promise.all([seedShop(service.sql), seedShop(service.sql)]);
    const keys = await Promise.all(shops.map((shop) => seedApiKey(service.sql, shop)));
    let statements = 0;
    const { readRows } = service.database.database;
    const database = { readRows: (...given: Parameters<typeof readRows>) => ((statements += 1), readRows(...given)) };
    let now = Date.now();
    const processes = [createCounter(database, () => now), createCounter(database, () => now)];
    for (const { counter } of processes) {
      for (const [index, { clientId }] of keys.entries())
        for (let call = 0; call <= index; call += 1)
          counter.countRequest(principal(shops[index] ?? '', clientId), { status: 200, bytes: 10 });
      await counter.flush();
      await counter.flush();
    }
    expect(statements).toBe(2);
    expect(await rowsOf(shops[1] ?? '')).toMatchObject([{ requests: '4', bytes: '40' }]);
    now -= day;
    processes[0]?.counter.addCost(principal(shops[1] ?? '', keys[1]?.clientId ?? ''), 7);
    await processes[0]?.counter.flush();
    expect(await rowsOf(shops[1] ?? '')).toHaveLength(2);
    for (const { counter, errors } of processes) {
      await counter.close();
      expect(errors).toEqual([]);
    }
  });

  it('includes the last use, also without a request, which no late write moves back; no response changes (D7)', async () => {
    const { shopId, clientId } = await seedKey('used.example');
    const key = principal(shopId, clientId);
    const noon = Math.floor(Date.now() / day) * day - day / 2;
    let now = noon;
    const [early, late] = [
      createCounter(service.database.database, () => now),
      createCounter(service.database.database, () => now),
    ];
    const lastUse = async () => (await listApiKeys(service.database.database, 'used.example'))[0]?.lastUsedAt;
    const version = () => service.sql('SELECT data_version FROM shops WHERE shop_id = $1', [shopId]);
    const before = await version();
    expect(await lastUse()).toBeNull();
    early.counter.countRequest(key, { status: 200, bytes: 1 });
    now += 1_234;
    late.counter.noteUse(key);
    await late.counter.close();
    await early.counter.close();
    expect(await lastUse()).toBe(new Date(now).toISOString());
    expect(await version()).toEqual(before);
  });

  it('is not lost when a write fails', async () => {
    const { shopId, clientId } = await seedKey();
    let fails = true;
    const { readRows } = service.database.database;
    const { counter, errors } = createCounter({
      readRows: (...given) => (fails ? Promise.reject(new Error('away')) : readRows(...given)),
    });
    counter.countRequest(principal(shopId, clientId), { status: 200, bytes: 1 });
    await counter.flush();
    counter.countRequest(principal(shopId, clientId), { status: 500, bytes: 1 });
    fails = false;
    await counter.close();
    expect(errors).toHaveLength(1);
    expect(await rowsOf(shopId)).toEqual([{ requests: '2', rate_limited: '0', errors: '1', bytes: '2', cost: '0' }]);
  });

  it.each(['9223372036854775807', '9007199254740991', '-9223372036854775808', null])(
    'continues for all keys when the row of one was written with %s',
    async (value) => {
      const shopId = await seedShop(service.sql);
      const [bad, good] = [await seedApiKey(service.sql, shopId), await seedApiKey(service.sql, shopId)];
      const counts = Array<string>(5).fill('ARRAY[$3::bigint, $3]').join(', ');
      const uses = value === null ? 'ARRAY[NULL::timestamptz, NULL]' : `'{infinity,-infinity}'`;
      const write = `SELECT catalog_add_usage(ARRAY[$1::uuid, $1], ARRAY[$2::text, $2], ARRAY[current_date, current_date - 1], ${counts}, ${uses})`;
      for (let time = 0; time < 2; time += 1) await service.sql(write, [shopId, bad.clientId.slice(3), value]);
      const { counter, errors } = createCounter(service.database.database);
      for (const { clientId } of [bad, good]) {
        counter.countRequest(principal(shopId, clientId), { status: 429, bytes: 7 });
        counter.addCost(principal(shopId, clientId), 3);
      }
      await counter.close();
      expect(errors).toEqual([]);
      for (const row of await service.sql('SELECT last_used_at AS at FROM key_usage WHERE shop_id = $1', [shopId]))
        expect(Date.parse(String(row['at']))).toBeGreaterThan(Date.now() - 401 * day);
      const full = value !== null && BigInt(value) > 0n;
      const query = 'query { shop { usage(days: 1) { clientId requests bytes cost } } }';
      const { data } = await askGraphql<{ shop: { usage: unknown[] } }>(service.origin, good.apiKey, query);
      expect(data.shop.usage).toEqual(
        expect.arrayContaining([
          { clientId: good.clientId, requests: 1, bytes: 7, cost: 3 },
          full
            ? { clientId: bad.clientId, requests: 2 ** 53 - 1, bytes: 2 ** 53 - 1, cost: 2 ** 53 - 1 }
            : { clientId: bad.clientId, requests: 1, bytes: 7, cost: 3 },
        ]),
      );
    },
  );

  it('has rows only for keys that exist and for the last 400 days', async () => {
    const { shopId, clientId } = await seedKey();
    const stored = clientId.replace(/^[^_]*_/, '');
    await service.sql(
      `INSERT INTO key_usage SELECT $1, $2, (now() AT TIME ZONE 'UTC')::date - ago, 1, 0, 0, 0, 0, now() FROM unnest(ARRAY[1, 399, 400, 500]) AS ago`,
      [shopId, stored],
    );
    await service.sql(
      `SELECT catalog_add_usage(ARRAY[$1, $1, $1]::uuid[], ARRAY[$2, $2, 'nothing'], ARRAY[current_date, current_date - 600, current_date], '{5,5,5}', '{-1,0,0}', '{0,0,0}', '{0,0,0}', '{0,0,0}', NULL)`,
      [shopId, stored],
    );
    expect((await rowsOf(shopId)).map(({ requests, rate_limited: limited }) => [requests, limited])).toEqual([
      ['1', '0'],
      ['1', '0'],
      ['5', '0'],
    ]);
  });

  it('is shown by Shop.usage, always current, complete, only to credentials for the account', async () => {
    const { shopId, apiKey, clientId } = await seedKey('usage.example');
    const { counter } = createCounter(service.database.database);
    const query = '{ shop { usage(days: 2) { day clientId keyName requests rateLimited errors bytes cost } } }';
    const read = async () =>
      (await askGraphql<{ shop: { usage: readonly object[] } }>(service.origin, apiKey, query)).data.shop.usage;
    expect(await read()).toEqual([]);
    for (const requests of [1, 2]) {
      counter.countRequest(principal(shopId, clientId), { status: 200, bytes: 5 });
      await counter.flush();
      expect(await read()).toMatchObject([
        { day: new Date().toISOString().slice(0, 10), clientId, requests, rateLimited: 0, errors: 0 },
      ]);
    }
    await counter.close();
    const other = await seedKey();
    expect(await askGraphql(service.origin, other.apiKey, query)).toMatchObject({ data: { shop: { usage: [] } } });
    const narrow = await seedApiKey(service.sql, shopId, { scopes: ['catalog:read'] });
    expect(JSON.stringify(await askGraphql(service.origin, narrow.apiKey, query))).toContain('FORBIDDEN');
    expect(JSON.stringify(await askGraphql(service.origin, apiKey, '{ shop { usage(days: 401) { day } } }'))).toContain(
      'days: expected an integer from 1 to 400',
    );
    await service.sql(
      `INSERT INTO key_usage SELECT $1, n::text, now(), 1, 0, 0, 0, 0, now() FROM generate_series(1, 5000) AS n`,
      [shopId],
    );
    expect(JSON.stringify(await askGraphql(service.origin, apiKey, query))).toContain('more than 5000 rows');
    expect(await listKeyUsage(service.database.database, 'usage.example', 2, Date.now)).toHaveLength(5001);
  });
});
