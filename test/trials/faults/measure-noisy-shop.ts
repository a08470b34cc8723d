import { setTimeout as delay } from 'node:timers/promises';
import { seedApiKey, seedShop } from '../../support/seed';
import type { Sql } from '../../support/test-database';
import type { TrialRow } from '../trial';
import { createHeavyOperations } from '../support/heavy-operations';
import type { Recorded } from '../support/load';
import { ask } from '../support/load';
import type { OwnPostgres } from '../support/own-postgres';
import { startServiceProcess } from '../../support/service-process';
import { isWithin } from './time-bounds';

export interface NoisyShops {
  readonly loud: { readonly apiKey: string; readonly ids: readonly string[] };
  readonly quiet: { readonly apiKey: string; readonly ids: readonly string[] };
}

/** A shop large enough for heavy operations to be heavy, and a small one beside it. */
export async function seedNoisyShops(sql: Sql, products: number): Promise<NoisyShops> {
  const [loud, quiet] = [await seedShop(sql), await seedShop(sql)];
  for (const [shopId, count] of [
    [loud, products],
    [quiet, 1_000],
  ] as const) {
    await sql(
      `INSERT INTO products (shop_id, external_id, title, handle, status, vendor, product_type, tags, description_html, created_at, updated_at)
       SELECT $1, n, 'Stoneware mug ' || md5(n::text), 'mug-' || n, CASE n % 3 WHEN 0 THEN 'DRAFT' ELSE 'ACTIVE' END, 'Vendor ' || n % 7, 'Type ' || n % 9,
              ARRAY['sale', 't' || n % 50], '<p>' || repeat(md5(n::text) || ' ', 30) || '</p>', timestamptz '2026-01-01Z' + n * interval '1 second', timestamptz '2026-02-01Z' - n * interval '1 second'
         FROM generate_series(1, $2::integer) AS n`,
      [shopId, count],
    );
    // The foreign-key check caches a plan that was made while the table was small (docs/writers.md).
    await sql('ANALYZE products');
    await sql(
      `INSERT INTO variants (shop_id, product_id, external_id, title, sku, price, inventory_quantity, position, options, created_at, updated_at)
       SELECT shop_id, id, n, 'Size ' || n, 'SKU-' || n, n || '.90', n, n, '[{"name": "Size", "value": "L"}, {"name": "Colour", "value": "blue"}]', created_at, updated_at
         FROM products CROSS JOIN generate_series(1, 5) AS n WHERE shop_id = $1`,
      [shopId],
    );
  }
  await sql('ANALYZE');
  const idsOf = async (shopId: string) =>
    (
      await sql<{ id: string }>('SELECT id FROM products WHERE shop_id = $1 ORDER BY created_at LIMIT 1000', [shopId])
    ).map(({ id }) => id);
  return {
    loud: { ...(await seedApiKey(sql, loud)), ids: await idsOf(loud) },
    quiet: { ...(await seedApiKey(sql, quiet)), ids: await idsOf(quiet) },
  };
}

/** A quiet client's sequential calls, none of which can be answered from the cache. */
async function runQuiet(origin: string, { quiet }: NoisyShops, until: () => boolean): Promise<readonly Recorded[]> {
  const records: Recorded[] = [];
  for (let turn = 0; !until(); turn++) {
    const target =
      turn % 2 === 0
        ? `/v1/products?limit=20&q=${(turn % 997).toString(16)}`
        : `/v1/products/${quiet.ids[(turn * 7) % quiet.ids.length]}`;
    records.push(await ask(origin, { apiKey: quiet.apiKey, target }));
    await delay(10);
  }
  return records;
}

export interface Noise {
  /** 95th percentile of the quiet shop's calls. */
  readonly p95: number;
  readonly slowest: number;
  readonly calls: number;
  readonly refused: number;
  readonly loud: readonly Recorded[];
}

/** What the quiet shop gets while the loud one runs its load. */
export async function measureNoise(
  origin: string,
  shops: NoisyShops,
  makeNoise: () => Promise<readonly Recorded[]>,
): Promise<Noise> {
  let isOver = false;
  const noise = makeNoise().finally(() => (isOver = true));
  const records = await runQuiet(origin, shops, () => isOver);
  const times = records.map(({ milliseconds }) => milliseconds).sort((left, right) => left - right);
  return {
    p95: Math.round(times[Math.floor(times.length * 0.95)] ?? NaN),
    slowest: Math.round(times.at(-1) ?? NaN),
    calls: records.length,
    refused: records.filter(({ status }) => status !== 200).length,
    loud: await noise,
  };
}

/** That many heavy operations of one key at once, again and again for that long. */
export const sendHeavy =
  (origin: string, { loud }: NoisyShops, atOnce: number, lastsMilliseconds: number, seed: number) =>
  async (): Promise<readonly Recorded[]> => {
    const records: Recorded[] = [];
    const end = performance.now() + lastsMilliseconds;
    for (let round = 0; performance.now() < end; round++) {
      const operations = createHeavyOperations(loud, atOnce, seed + round);
      records.push(
        ...(await Promise.all(
          operations.map(({ document }) => ask(origin, { apiKey: loud.apiKey, target: '/graphql', document })),
        )),
      );
    }
    return records;
  };

/** Two heavy operations per second: as many as the rate limit admits over time (D18). */
export const sendHeavyWithinLimit =
  (origin: string, { loud }: NoisyShops, lastsMilliseconds: number, seed: number) =>
  async (): Promise<readonly Recorded[]> => {
    const operations = createHeavyOperations(loud, Math.ceil(lastsMilliseconds / 500), seed);
    const sent = operations.map(async ({ document }, index) => {
      await delay(index * 500);
      return ask(origin, { apiKey: loud.apiKey, target: '/graphql', document });
    });
    return Promise.all(sent);
  };

export const statusesOf = (records: readonly Recorded[]): string => {
  const counts = new Map<number, number>();
  for (const { status } of records) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ');
};

/**
 * One shop's key sends the heaviest operations that the limits allow; another shop requests pages and products
 * (docs/decisions.md 40).
 */
export async function measureNoisyShop(
  { serviceUrl, sql }: OwnPostgres,
  lastsMilliseconds: number,
): Promise<TrialRow[]> {
  const shops = await seedNoisyShops(sql, 20_000);
  const seed = 1;
  const service = await startServiceProcess(serviceUrl);
  const quietly = (milliseconds: number) => async () => {
    await delay(milliseconds);
    return [];
  };
  await measureNoise(service.origin, shops, quietly(1_000));
  const calm = await measureNoise(service.origin, shops, quietly(lastsMilliseconds));
  const within = await measureNoise(
    service.origin,
    shops,
    sendHeavyWithinLimit(service.origin, shops, lastsMilliseconds, seed),
  );
  const flooded = await measureNoise(
    service.origin,
    shops,
    sendHeavy(service.origin, shops, 100, lastsMilliseconds, seed),
  );
  await service.end();
  return [
    {
      what: 'one shop sends two heavy operations in a second, as the rate limit admits',
      load: `another shop asks one thing after the other, ${within.calls} calls; ${within.loud.length} heavy operations, seed ${seed}`,
      promise: 'the other shop: only answers with 200, 95th percentile below 1.3 s',
      measured: `alone ${calm.p95} ms, now ${within.p95} ms, slowest ${within.slowest} ms, ${within.refused} refused; the heavy ones: ${statusesOf(within.loud)}`,
      isKept: within.refused === 0 && isWithin(within.p95, 1_300),
    },
    {
      what: 'one shop sends 100 heavy operations at once, again and again, without a rate limit',
      load: `another shop asks one thing after the other, ${flooded.calls} calls; ${flooded.loud.length} heavy operations, seed ${seed}`,
      promise: 'the other shop: only answers with 200, 95th percentile below 1.3 s',
      measured: `95th percentile ${flooded.p95} ms, slowest ${flooded.slowest} ms, ${flooded.refused} refused; the heavy ones: ${statusesOf(flooded.loud)}`,
      isKept: flooded.refused === 0 && isWithin(flooded.p95, 1_300),
    },
  ];
}
