/* global fetch */
/** The cost of many shops next to one shop, and of workers next to separate processes. */
import { fileURLToPath } from 'node:url';
import { createKey } from './database.mjs';
import { applyLoad } from './load.mjs';
import { databaseMilliseconds, startServer, treeMilliseconds } from './process.mjs';
import { median } from './statistics.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const smallShops = 5_000;
const shopsInTurn = 300;

/**
 * Runs all in turn, each round in another order.
 * @returns the median of each figure, by name, and `rates` of all rounds
 */
async function alternate(rounds, runs) {
  const found = Object.fromEntries(Object.keys(runs).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const names = Object.keys(runs);
    for (const name of round % 2 ? names : names.reverse()) found[name].push(await runs[name]());
  }
  return Object.fromEntries(
    Object.entries(found).map(([name, results]) => [
      name,
      {
        ...Object.fromEntries(
          Object.keys(results[0]).map((figure) => [figure, median(results.map((result) => result[figure]))]),
        ),
        rates: results.map(({ rate }) => rate),
      },
    ]),
  );
}

/** Load with the CPU time of the service, all its processes together, and of PostgreSQL. */
async function measured(pids, query, load) {
  const spent = async () => [
    pids.reduce((sum, pid) => sum + treeMilliseconds(pid), 0),
    await databaseMilliseconds(query),
  ];
  const before = await spent();
  const loads = await load();
  const after = await spent();
  const requests = loads.reduce((sum, each) => sum + each.requests, 0);
  const [processorMicroseconds, databaseMicroseconds] = after.map(
    (at, index) => (1000 * (at - before[index])) / requests,
  );
  return {
    rate: loads.reduce((sum, { rate }) => sum + rate, 0),
    p99: Math.max(...loads.map(({ p99 }) => p99)),
    ...{ processorMicroseconds, databaseMicroseconds },
  };
}

/** 300 of 5,000 small shops in turn, and one of them alone. */
export async function measureShops({ service, oracle, plan, log }) {
  log(`${shopsInTurn} of ${smallShops} shops in turn`);
  await seedSmallShops(oracle.query);
  const shops = await oracle.query(
    `SELECT shop_id FROM shops WHERE domain LIKE 'small-%' ORDER BY md5(domain) LIMIT ${shopsInTurn}`,
  );
  const keys = [];
  for (const { shop_id: id } of shops) keys.push(`Bearer ${(await createKey(oracle.query, id)).apiKey}`);
  const toRequests = (some, path = '/v1/products') =>
    some.map((authorization) => ({ path, headers: { authorization } }));
  // Every limit gives another response for the same rows.
  const distinct = Array.from({ length: 150 }, (_, more) => toRequests(keys, `/v1/products?limit=${50 + more}`)).flat();
  const load = (requests) => () =>
    measured([service.pid], oracle.query, async () => [
      await applyLoad({ origin: service.origin, requests }, { seconds: plan.seconds }),
    ]);
  await load(toRequests(keys))();
  return alternate(plan.rounds, {
    '300 shops, cached page': load(toRequests(keys)),
    'one shop, cached page': load(toRequests(keys.slice(0, 1))),
    '300 shops, uncached page': async () => {
      await oracle.query('UPDATE shops SET name = name WHERE shop_id = ANY ($1)', [shops.map(({ shop_id: id }) => id)]);
      return load(distinct)();
    },
  });
}

async function seedSmallShops(query) {
  const [{ count }] = await query(`SELECT count(*)::integer AS count FROM shops WHERE domain LIKE 'small-%'`);
  if (count === smallShops) return;
  await query(
    `INSERT INTO shops (domain, name, plan) SELECT 'small-' || n || '.example', 'Small shop ' || n, 'business'
       FROM generate_series(1, ${smallShops}) AS n`,
  );
  await query(
    `INSERT INTO products (shop_id, external_id, title, handle, vendor, tags, description_html, created_at, updated_at)
     SELECT shop_id, n, 'Linen bowl No. ' || n, 'linen-bowl-' || n, 'Vendor ' || n % 5, ARRAY['t-' || n % 7],
            '<p>' || repeat('Made in small batches. ', 20) || '</p>', timestamptz '2020-01-01Z' + n * interval '1 hour', '2024-01-01Z'
       FROM shops CROSS JOIN generate_series(1, 20) AS n WHERE domain LIKE 'small-%'`,
  );
  await query('VACUUM (ANALYZE)');
}

/** `serve --workers 2`, and two processes on ports of their own that share the load. */
export async function measureWorkers({ env, key, query, plan, log }) {
  log('two workers beside two processes');
  const start = (...args) => startServer(process.execPath, args, { env, cwd: root });
  const workers = await start('dist/src/cli/main.js', 'serve', '--workers', '2');
  const processes = [await start('dist/src/main.js'), await start('dist/src/main.js')];
  try {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${workers.origin}/v1/products`, { headers });
    const held = { ...headers, 'if-none-match': response.headers.get('etag') };
    const load = (servers, withHeaders) => () =>
      measured(
        servers.map(({ pid }) => pid),
        query,
        () =>
          Promise.all(
            servers.map(({ origin }) =>
              applyLoad(
                { origin, requests: [{ path: '/v1/products' }], headers: withHeaders },
                { connections: 16 / servers.length, seconds: plan.seconds },
              ),
            ),
          ),
      );
    const runs = {
      'two workers, cached page': load([workers], headers),
      'two processes, cached page': load(processes, headers),
      'two workers, If-None-Match': load([workers], held),
      'two processes, If-None-Match': load(processes, held),
    };
    for (const run of Object.values(runs)) await run();
    return await alternate(plan.rounds, runs);
  } finally {
    await Promise.all([workers, ...processes].map((server) => server.stop()));
  }
}
