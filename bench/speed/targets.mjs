/** The targets, the measured figures, and whether each target is met. */
import { pairedRatio } from './statistics.mjs';

const toTarget =
  (sign, isMet) =>
  (name, target, value, unit = '×') => ({
    what: name,
    promise: `${sign} ${target} ${unit}`,
    measured: `${Number(value.toPrecision(3))} ${unit}`,
    isKept: isMet(value, target),
  });
const atLeast = toTarget('≥', (value, target) => value >= target);
const atMost = toTarget('≤', (value, target) => value <= target);

/** A row for each target that was measured in this run. */
export function toTargets({
  starts,
  sideBySide,
  shops,
  workers,
  pages,
  anyPage,
  filters,
  searches,
  tokens,
  connections,
  waiting,
  soak,
  gateway,
  feed,
  export: exported,
}) {
  const targets = [];
  if (sideBySide) {
    const { ratio, catalogReads, tail } = sideBySide;
    targets.push(
      atLeast('cached page / reference', 4, ratio('cached page', 'page, reference')),
      atLeast('cached page / Express sending the same bytes', 0.5, ratio('cached page', 'same bytes, Express')),
      atLeast('If-None-Match / reference', 5, ratio('page, If-None-Match', 'page, reference')),
      atMost('catalog scans during 500 responses with 304', 0, catalogReads, 'scans'),
      ...['', ', 32 connections'].flatMap((more) => [
        atLeast(
          `uncached deep pages / reference${more}`,
          1.5,
          ratio(`uncached deep pages${more}`, `deep pages, reference${more}`),
        ),
        atLeast(
          `uncached product with variants / reference${more}`,
          1.15,
          ratio(`uncached product with variants${more}`, `product with variants, reference${more}`),
        ),
      ]),
      atMost(`uncached deep pages / reference at ${tail.rate} requests a second, p99`, 1.5, tail.p99 / tail.reference),
    );
    const graphqlSeen = ratio('cached GraphQL page', 'GraphQL page, PostGraphile');
    if (graphqlSeen !== undefined)
      targets.push(
        atLeast('cached GraphQL page / PostGraphile', 3, graphqlSeen),
        atLeast(
          'uncached GraphQL deep pages / PostGraphile',
          1.2,
          ratio('uncached GraphQL deep pages', 'GraphQL deep pages, PostGraphile'),
        ),
        atLeast(
          'uncached GraphQL deep pages with variants / PostGraphile',
          2,
          ratio('uncached GraphQL deep pages with variants', 'GraphQL deep pages with variants, PostGraphile'),
        ),
      );
  }
  if (shops)
    targets.push(
      atLeast(
        '300 of 5,000 shops in turn / one of them, cached page',
        0.85,
        pairedRatio(shops['300 shops, cached page'].rates, shops['one shop, cached page'].rates),
      ),
    );
  for (const kind of workers ? ['cached page', 'If-None-Match'] : [])
    targets.push(
      atLeast(
        `serve --workers 2 / two processes, ${kind}`,
        0.85,
        pairedRatio(workers[`two workers, ${kind}`].rates, workers[`two processes, ${kind}`].rates),
      ),
    );
  if (pages) targets.push(atMost('page 2000 / page 1, p50', 1.15, pages['page 2000'].p50 / pages['page 1'].p50));
  const growth = ({ '1m': large, '10k': small }) => large && small && large.p50 / small.p50;
  if (anyPage?.['1m']) targets.push(atMost('1,000,000 / 10,000 products: any page, p50', 1.25, growth(anyPage)));
  for (const [name, byShop] of Object.entries(filters ?? {}))
    if (byShop['1m']) targets.push(atMost(`1,000,000 / 10,000 products: ${name}, p50`, 1.25, growth(byShop)));
  for (const [name, byShop] of Object.entries(searches ?? {})) {
    const [shop, { p99 }] = Object.entries(byShop).at(-1);
    targets.push(atMost(`${name}: p99 at ${shop}`, 50, p99, 'ms'));
  }
  if (feed) {
    const { latencies } = feed;
    for (const [name, byShop] of Object.entries(latencies)) {
      const [shop, { p50 }] = Object.entries(byShop).at(-1);
      if (name === 'figures of orders') targets.push(atMost(`${name}: p50 at ${shop}`, 250, p50, 'ms'));
      // Each of six figures counts every product in an index: 100 ns, which is what PostgreSQL takes for an entry.
      else if (name === 'figures of products') targets.push(atMost(`${name}: p50 at ${shop}`, 600, p50, 'ms'));
      else if (byShop['1m']) targets.push(atMost(`1,000,000 / 10,000 products: ${name}, p50`, 1.25, growth(byShop)));
    }
  }
  if (waiting) {
    const { clients, kilobytes, processorMillisecondsPerSecond, statementsPerSecond, alone, together } = waiting;
    targets.push(
      atMost(`${clients} waiting clients: memory of each`, 30, kilobytes, 'kB'),
      atMost(`${clients} waiting clients: CPU time`, 60, processorMillisecondsPerSecond, 'ms/s'),
      atMost(`${clients} waiting clients: statements`, 2, statementsPerSecond, '/s'),
      atMost('a change, from its commit to a client: slowest of 8', 1.5, alone.slowest, 's'),
      atMost(`one change for ${clients} clients of one shop: until the last has it`, 3, together.last, 's'),
    );
  }
  for (const [name, { ratio }] of Object.entries(gateway ?? {}))
    targets.push(atMost(`GraphQL ${name}: without subgraphs / with, local operation`, 1.1, ratio));
  if (exported) {
    const { rate, copyRate, memoryMegabytes, slowdown } = exported;
    targets.push(
      atLeast(
        "export: products per second (20,000, or COPY's rate if lower)",
        Math.min(20_000, Math.round(copyRate)),
        rate,
        '/s',
      ),
      atMost('export: memory above idle', 150, memoryMegabytes, 'MB'),
      atMost("export: another shop's p95 meanwhile / calm", 2, slowdown),
    );
  }
  if (tokens) targets.push(atLeast('tokens per second', 500, tokens.rate, '/s'));
  for (const [name, { p50, p99 }] of Object.entries(connections ?? {}))
    targets.push(atMost(`200 connections, ${name}: p99 / p50`, 6, p99 / p50));
  if (soak)
    targets.push(atMost(`memory growth over ${soak.readings.at(-1).requests} requests`, 10, 100 * soak.growth, '%'));
  if (starts) {
    targets.push(atMost('first npm start', 5, starts.first, 's'));
    targets.push(atMost('later npm start', 1.5, Math.max(...starts.later), 's'));
  }
  return targets;
}

/** Requests per second of everything that was measured side by side. */
export function printRates({ figures }, print) {
  const width = Math.max(...Object.keys(figures).map((name) => name.length));
  for (const [name, { rate, low, high, p50, p99, processorMicroseconds, databaseMicroseconds }] of Object.entries(
    figures,
  ))
    print(
      `${name.padEnd(width)}  ${rate.toFixed(0).padStart(6)} req/s (${low.toFixed(0)}–${high.toFixed(0)}), p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(1)} ms; CPU time per request: server ${processorMicroseconds} µs, PostgreSQL ${databaseMicroseconds} µs`,
    );
}
