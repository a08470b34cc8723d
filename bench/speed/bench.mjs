/**
 * Measures this service next to the servers in peers/, on the same rows, in the same run. Responses are first compared
 * with plain SQL; a wrong one ends the run.
 *
 * BENCH_DATABASE_URL is the server for the benchmark's database; unset, it is the embedded PostgreSQL in .data/bench.
 * BENCH_SHOPS=10k,100k omits the shop with a million products.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createKey, provideBenchDatabase } from './database.mjs';
import { measureTokens, mixedRequests, soak } from './endurance.mjs';
import { measureExport } from './export.mjs';
import { compareShops, filters, measureFilters, searches } from './latencies.mjs';
import { measureFeed } from './feed.mjs';
import { applyLoad, tool } from './load.mjs';
import { openOracle } from './oracle.mjs';
import { installPackages } from './packages.mjs';
import { startServer } from './process.mjs';
import { measureGateway } from './gateway.mjs';
import { measureShops, measureWorkers } from './processes.mjs';
import { serviceSettings } from './service-settings.mjs';
import { measureSideBySide } from './side-by-side.mjs';
import { measureStarts } from './start-time.mjs';
import { printRates, toTargets } from './targets.mjs';
import { measureWaiting } from './waiting.mjs';
import { walkProducts } from './walk.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const log = (line) => process.stderr.write(`${line}\n`);

let quick;
let plan;
let shopNames;
let wants;

export const trial = {
  what: 'requests, exports, tokens and startup, compared with other servers',
  parts: [
    'start',
    'side',
    'shops',
    'workers',
    'gateway',
    'latency',
    'feed',
    'export',
    'tokens',
    'connections',
    'waiting',
    'soak',
  ],
  isBenchmark: true,
  async run({ isShort, parts }, report) {
    quick = isShort;
    wants = (part) => parts.includes(part);
    plan = {
      ...(quick
        ? { rounds: 2, seconds: 2, warmUp: 3, distinct: 8_000, checks: 100, samples: 40, soak: 20_000, starts: 1 }
        : {
            rounds: 5,
            seconds: 4,
            warmUp: 6,
            distinct: 12_000,
            checks: 3_000,
            samples: 200,
            soak: 200_000,
            starts: 3,
          }),
      scratch: mkdtempSync(join(tmpdir(), 'catalog-bench-')),
    };
    shopNames = (process.env.BENCH_SHOPS ?? (quick ? '10k,100k' : '10k,100k,1m')).split(',');
    installPackages(log);
    const starts = wants('start') ? await measureStarts(plan.starts) : undefined;
    log('the data');
    const database = await provideBenchDatabase(shopNames, log);
    const oracle = await openOracle(database.url);
    const env = serviceSettings(database.url, plan.scratch);
    const service = await startServer(process.execPath, [join(root, 'dist/src/main.js')], { env });
    try {
      const subjects = await Promise.all(
        shopNames.map(async (name) => {
          const shopId = database.shopIds[name];
          const { apiKey, ...credentials } = await createKey(oracle.query, shopId);
          return { name, shopId, key: apiKey, ...credentials };
        }),
      );
      const results = { starts, ...(await measure({ database, oracle, service, subjects, env })) };
      if (results.sideBySide) printRates(results.sideBySide, log);
      toTargets(results).forEach(report);
      const { sideBySide, ...others } = results;
      return {
        postgresql: database.version,
        loadGenerator: tool,
        requestsPerSecond: sideBySide?.figures,
        ...others,
      };
    } finally {
      await service.stop();
      await oracle.close();
      await database.stop();
      rmSync(plan.scratch, { recursive: true, force: true });
    }
  },
};

async function measure({ database, oracle, service, subjects, env }) {
  const main100k = subjects.find(({ name }) => name === '100k');
  const headers = { authorization: `Bearer ${main100k.key}` };
  const { origin } = service;
  const walks = {};
  const walkOf = async ({ name, key, shopId }) => {
    if (walks[name] === undefined) {
      log(`walking shop ${name} through the API`);
      // Positions at which pages start: thousands in every shop.
      const step = { '10k': 5, '100k': 7, '1m': 100 }[name];
      walks[name] = await walkProducts(origin, key, oracle, shopId, step);
    }
    return walks[name];
  };
  const walk = await walkOf(main100k);
  const results = {};

  if (wants('side'))
    results.sideBySide = await measureSideBySide({
      ...{ service, database, oracle, walk, env, plan, log },
      ...{ key: main100k.key, shopId: main100k.shopId },
    });

  if (wants('shops')) results.shops = await measureShops({ service, oracle, plan, log });
  if (wants('workers'))
    results.workers = await measureWorkers({ env, key: main100k.key, query: oracle.query, plan, log });

  if (wants('gateway')) results.gateway = await measureGateway({ env, key: main100k.key, walk, plan, log });

  if (wants('latency')) {
    log('pages of shops of different size, one at a time');
    for (const subject of subjects) await walkOf(subject);
    const deepPath = (name) => {
      const { positions } = walks[name];
      return `/v1/products?cursor=${positions[Math.floor(Math.random() * positions.length * 0.98)].cursor}`;
    };
    const page2000 = Object.fromEntries(
      Object.entries(walks).map(([name, { positions }]) => [
        name,
        positions.reduce((best, position) =>
          position.index < 2000 * 50 && position.index < walks[name].ids.length - 100 ? position : best,
        ),
      ]),
    );
    const largest = [subjects.at(-1)];
    const common = { origin, oracle, samples: plan.samples };
    results.anyPage = await compareShops({ ...common, subjects, paths: deepPath });
    const firstAndLate = [
      { ...largest[0], name: 'page 1' },
      { ...largest[0], name: `page 2000` },
    ];
    results.pages = await compareShops({
      ...common,
      subjects: firstAndLate,
      paths: (name) => (name === 'page 1' ? '/v1/products' : `/v1/products?cursor=${page2000[largest[0].name].cursor}`),
    });
    results.filters = await measureFilters(filters, { ...common, subjects, log });
    results.searches = await measureFilters(searches, { ...common, subjects, log });
  }

  if (wants('feed')) {
    log('lookups, the change feed and aggregates');
    const { rounds, seconds, samples } = plan;
    results.feed = await measureFeed({
      origin,
      oracle,
      subjects,
      rounds,
      seconds,
      samples: Math.ceil(samples / 2),
      log,
    });
  }

  if (wants('export') && subjects.length > 1) {
    const large = subjects.at(-1);
    log(`an export of shop ${large.name}`);
    const { positions } = await walkOf(subjects[0]);
    const other = { key: subjects[0].key, positions };
    results.export = await measureExport({ service, database, large, other, rounds: quick ? 1 : 3, seconds: 10, log });
  }
  if (wants('tokens')) {
    log('tokens');
    results.tokens = await measureTokens({ origin, ...main100k, seconds: plan.seconds });
  }
  if (wants('connections')) {
    log('200 connections');
    const load = { connections: 200, seconds: quick ? 4 : 10 };
    const cached = { origin, requests: [{ path: '/v1/products' }], headers };
    await applyLoad(cached, { ...load, seconds: 2 });
    results.connections = {
      'cached page': await applyLoad(cached, load),
      'half of them uncached': await applyLoad({ origin, requests: mixedRequests(walk), headers }, load),
    };
  }
  if (wants('waiting')) {
    log('clients that wait for changes');
    const clients = quick ? 1_000 : 10_000;
    results.waiting = await measureWaiting({ ...subjects[0], env, oracle, clients, log });
  }
  if (wants('soak')) {
    log('soak');
    results.soak = await soak({ service, headers, walk, requests: plan.soak, log });
  }
  return results;
}
