/* global URLSearchParams, performance */
/**
 * How long one uncached answer takes: each request follows a write that makes everything cached obsolete. One at a
 * time, alternating between shops. This is where growth of the catalog would show.
 */
import { Agent, request } from 'node:http';
import { terms } from './data.mjs';
import { assertSame, getJson } from './oracle.mjs';
import { percentile } from './statistics.mjs';

const like = (text) => `search_text LIKE '%${text}%'`;
const t = terms;

/** Each with the condition that determines in SQL which products match it. */
export const filters = [
  ['no filter, page 1', {}, 'true'],
  ['vendor, common', { vendor: t.vendorCommon }, `vendor = '${t.vendorCommon}'`],
  ['vendor, rare', { vendor: t.vendorRare }, `vendor = '${t.vendorRare}'`],
  ['product_type, common', { product_type: t.typeCommon }, `product_type = '${t.typeCommon}'`],
  ['product_type, rare', { product_type: t.typeRare }, `product_type = '${t.typeRare}'`],
  ['status ACTIVE', { status: 'ACTIVE' }, "status = 'ACTIVE'"],
  ['status ARCHIVED', { status: 'ARCHIVED' }, "status = 'ARCHIVED'"],
  ['tag on 20 %', { tag: t.tagCommon }, `'${t.tagCommon}' = ANY (tags)`],
  ['tag on 60 products', { tag: t.tagSixty }, `'${t.tagSixty}' = ANY (tags)`],
  ['tag on none', { tag: t.tagAbsent }, `'${t.tagAbsent}' = ANY (tags)`],
  [
    'vendor + ACTIVE',
    { vendor: t.vendorCommon, status: 'ACTIVE' },
    `vendor = '${t.vendorCommon}' AND status = 'ACTIVE'`,
  ],
  [
    'vendor + type',
    { vendor: t.vendorCommon, product_type: t.typeCommon },
    `vendor = '${t.vendorCommon}' AND product_type = '${t.typeCommon}'`,
  ],
  ['tag + ACTIVE', { tag: t.tagCommon, status: 'ACTIVE' }, `'${t.tagCommon}' = ANY (tags) AND status = 'ACTIVE'`],
  [
    'tag + vendor',
    { tag: t.tagCommon, vendor: t.vendorCommon },
    `'${t.tagCommon}' = ANY (tags) AND vendor = '${t.vendorCommon}'`,
  ],
];

export const searches = [
  ['q, frequent', { q: t.queryFrequent }, like(t.queryFrequent)],
  ['q, 60 products', { q: t.querySixty }, like(t.querySixty)],
  ['q, no match', { q: t.queryAbsent }, like(t.queryAbsent)],
  ['q of 2, frequent', { q: t.queryTwo }, like(t.queryTwo)],
  ['q of 2, 60 products', { q: t.queryTwoSixty }, like(t.queryTwoSixty)],
  ['q of 2, no match', { q: t.queryTwoAbsent }, like(t.queryTwoAbsent)],
  ['q of 1, frequent', { q: t.queryOne }, like(t.queryOne)],
  ['q of 1, no match', { q: t.queryOneAbsent }, like(t.queryOneAbsent)],
  [
    'q + vendor',
    { q: t.queryFrequent, vendor: t.vendorRare },
    `${like(t.queryFrequent)} AND vendor = '${t.vendorRare}'`,
  ],
];

const pathOf = (parameters) => `/v1/products?${new URLSearchParams(parameters)}`;

const agent = new Agent({ keepAlive: true });

/**
 * Requests a response compressed, as most clients do. Does not decompress it: garbage collections of this process would
 * count.
 * @returns its status
 */
const ask = (url, method, headers, body) =>
  new Promise((resolve, reject) => {
    const options = { agent, method, headers: { 'accept-encoding': 'gzip, br', ...headers } };
    request(url, options, (response) => response.resume().once('end', () => resolve(response.statusCode)))
      .once('error', reject)
      .end(body);
  });

/** @returns `{ p50, p99 }` in milliseconds by shop */
export async function compareShops({ origin, subjects, oracle, paths, samples }) {
  const taken = Object.fromEntries(subjects.map(({ name }) => [name, []]));
  for (let sample = -3; sample < samples; sample += 1) {
    for (const { name, shopId, key } of subjects) {
      await oracle.query('UPDATE shops SET name = name WHERE shop_id = $1', [shopId]);
      const asked = paths(name, sample);
      const { path, body } = typeof asked === 'string' ? { path: asked } : asked;
      const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
      const started = performance.now();
      const status = await ask(origin + path, body ? 'POST' : 'GET', headers, body);
      const milliseconds = performance.now() - started;
      if (status !== 200) throw new Error(`WRONG RESPONSE: ${path}: ${status}`);
      if (sample >= 0) taken[name].push(milliseconds);
    }
  }
  return Object.fromEntries(
    Object.entries(taken).map(([name, values]) => [
      name,
      { p50: percentile(values, 0.5), p99: percentile(values, 0.99) },
    ]),
  );
}

/** Measures each filter on every shop, after its first page was compared with the oracle. */
export async function measureFilters(list, { origin, subjects, oracle, samples, log }) {
  const figures = {};
  for (const [name, parameters, condition] of list) {
    for (const { name: shop, shopId, key } of subjects) {
      const { data } = await getJson(origin, pathOf(parameters), { authorization: `Bearer ${key}` });
      const expected = await oracle.ids(shopId, condition, 50);
      assertSame(`${name} of shop ${shop}`, data, await oracle.products(shopId, expected));
    }
    figures[name] = await compareShops({ origin, subjects, oracle, samples, paths: () => pathOf(parameters) });
    log(
      `${name}: ${Object.entries(figures[name])
        .map(([shop, { p50, p99 }]) => `${shop} ${p50.toFixed(2)} ms (p99 ${p99.toFixed(1)})`)
        .join(', ')}`,
    );
  }
  return figures;
}
