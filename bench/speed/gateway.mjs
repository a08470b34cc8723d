/* global fetch */
/**
 * What other teams' subgraphs cost an operation that needs none of them: the same service with and without,
 * alternately.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyLoad } from './load.mjs';
import { assertSame, getJson } from './oracle.mjs';
import { processorMilliseconds, startServer } from './process.mjs';
import { median } from './statistics.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

const fields =
  'id externalId title handle status vendor productType tags minPrice maxPrice totalStock createdAt updatedAt';
const page = `query($after: String) { products(first: 50, after: $after) { nodes { ${fields} } pageInfo { hasNextPage endCursor } } }`;

/** @returns requests per second of each, and how many times slower the one with subgraphs is */
export async function measureGateway({ env, key, walk, plan, log }) {
  const reviews = await startReviews();
  const start = (settings) =>
    startServer(process.execPath, [join(root, 'dist/src/main.js')], { env: { ...env, ...settings } });
  const alone = await start({ SUBGRAPHS: '' });
  const federated = await start({ SUBGRAPHS: `reviews=${reviews.url}` });
  const servers = { alone, federated };
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const ask = (variables, query = page) => ({
    method: 'POST',
    path: '/graphql',
    body: JSON.stringify({ query, variables }),
  });
  const workloads = {
    'cached page': [ask({ after: null })],
    'deep pages': walk.positions.slice(0, plan.distinct).map(({ cursor }) => ask({ after: cursor })),
  };
  try {
    const answer = ({ origin }, request) => getJson(origin, request.path, headers, request);
    const joined = await answer(federated, ask({}, '{ products(first: 1) { nodes { averageRating } } }'));
    if (typeof joined.data.products.nodes[0].averageRating !== 'number') throw new Error('the subgraph was not joined');
    const results = {};
    for (const [name, requests] of Object.entries(workloads)) {
      assertSame(name, await answer(federated, requests.at(-1)), await answer(alone, requests.at(-1)));
      log(`gateway: ${name}`);
      const measured = { alone: [], federated: [] };
      for (let round = 0; round < plan.rounds; round++)
        for (const which of round % 2 ? ['federated', 'alone'] : ['alone', 'federated']) {
          const { origin, pid } = servers[which];
          const before = processorMilliseconds(pid);
          const { rate, requests: count } = await applyLoad({ origin, requests, headers }, { seconds: plan.seconds });
          measured[which].push({ rate, processor: (1000 * (processorMilliseconds(pid) - before)) / count });
        }
      const of = (which, figure) => median(measured[which].map((values) => values[figure]));
      results[name] = {
        alone: of('alone', 'rate'),
        federated: of('federated', 'rate'),
        ratio: of('alone', 'rate') / of('federated', 'rate'),
        // The CPU time that the process itself spends on a request: more stable than rates on a machine with other
        // load.
        processorMicroseconds: { alone: of('alone', 'processor'), federated: of('federated', 'processor') },
      };
      log(`gateway: ${name}: ${JSON.stringify(results[name])}`);
    }
    return results;
  } finally {
    await Promise.all([alone.stop(), federated.stop(), reviews.stop()]);
  }
}

/** The subgraph of the tests, as a separate process. */
async function startReviews() {
  const port = 4900 + Math.floor(Math.random() * 100);
  const url = `http://127.0.0.1:${port}/graphql`;
  const main = join(root, 'test/federation/reviews/main.mjs');
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, [main, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await fetch(url, { method: 'POST', body: JSON.stringify({ query: '{ __typename }' }) });
  return {
    url,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}
