/* global fetch */
/**
 * Lookups, the change feed and figures: GraphQL operations that have no peer, compared over shops of different size.
 */
import { compareShops } from './latencies.mjs';
import { assertSame } from './oracle.mjs';

const pageSize = 200;

const lookUp = `query ($skus: [String!]) {
  variants(filter: { skuIn: $skus }, first: ${pageSize}) { nodes { id sku price product { id title } } }
}`;
const feed = `query ($after: String) {
  changes(first: ${pageSize}, after: $after) {
    nodes { type id deleted node { ... on Product { title minPrice } ... on Variant { sku price } } }
    pageInfo { endCursor hasNextPage }
  }
}`;
const figures = {
  'figures of products': `{ productFigures {
    count outOfStock statuses { status count } vendors { top { value count } } tags { top { value count } } priceBands { count }
  } }`,
  'figures of orders':
    '{ orderFigures(interval: MONTH) { buckets { start currencies { currency count totalPrice } } totals { currency count } } }',
};

const toRequest = (query, variables = {}) => ({ path: '/graphql', body: JSON.stringify({ query, variables }) });

/** Latencies by operation and shop. */
export async function measureFeed({ origin, oracle, subjects, samples, log }) {
  const ask = async (key, request) => {
    const response = await fetch(origin + request.path, {
      method: 'POST',
      headers: toHeaders(key),
      body: request.body,
    });
    const { data, errors } = await response.json();
    if (errors) throw new Error(`WRONG RESPONSE: ${JSON.stringify(errors)}`);
    return data;
  };
  const skus = {};
  const cursors = {};
  for (const { name, shopId, key } of subjects) {
    const rows = await oracle.query(
      `SELECT v.sku FROM variants AS v JOIN products AS p ON p.shop_id = v.shop_id AND p.id = v.product_id
        WHERE v.shop_id = $1 AND p.deleted_at IS NULL ORDER BY v.id LIMIT ${samples * pageSize}`,
      [shopId],
    );
    skus[name] = Array.from({ length: Math.max(1, Math.floor(rows.length / pageSize)) }, (_, index) =>
      rows.slice(index * pageSize, (index + 1) * pageSize).map(({ sku }) => sku),
    );
    const { variants } = await ask(key, toRequest(lookUp, { skus: skus[name][0] }));
    assertSame(`lookup in shop ${name}`, variants.nodes.map(({ sku }) => sku).sort(), [...skus[name][0]].sort());

    cursors[name] = [null];
    while (cursors[name].length < 40) {
      const { changes } = await ask(key, toRequest(feed, { after: cursors[name].at(-1) }));
      if (changes.nodes.length !== pageSize) throw new Error(`WRONG RESPONSE: the feed of shop ${name}`);
      cursors[name].push(changes.pageInfo.endCursor);
    }
  }
  const pick = (list, sample) => list[Math.max(0, sample) % list.length];
  const operations = {
    'lookup of 200 SKUs': (name, sample) => toRequest(lookUp, { skus: pick(skus[name], sample) }),
    'page of the change feed': (name, sample) => toRequest(feed, { after: pick(cursors[name], sample) }),
    ...Object.fromEntries(Object.entries(figures).map(([name, query]) => [name, () => toRequest(query)])),
  };
  const latencies = {};
  for (const [name, paths] of Object.entries(operations)) {
    latencies[name] = await compareShops({ origin, oracle, subjects, samples, paths });
    log(
      `${name}: ${Object.entries(latencies[name])
        .map(([shop, { p50 }]) => `${shop} ${p50.toFixed(2)} ms`)
        .join(', ')}`,
    );
  }
  return { latencies };
}

const toHeaders = (key) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });
