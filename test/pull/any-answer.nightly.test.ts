import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync, linkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hideSecrets, withoutSecrets } from '../../src/common/terminal';
import { createShopify } from '../../src/ingest/pull/shopify';
import { createWooCommerce } from '../../src/ingest/pull/woocommerce';
import { toFailure } from '../../src/cli/to-failure';
import { ImportHarness, type ShopUnderImport } from '../ingest/import-harness';
import { fc } from '../support/properties';
import { startPlatform, type PlatformServer } from './platform-server';
import { failure, pull } from './pull-harness';
import { newShopifyShop, shopifyToken, startShopify } from './shopify-shop';
import { startWooCommerce, wooKey, wooOrder, wooProduct, wooVariation, type WooShop } from './woocommerce-shop';

/*
 * A platform answers anything: one place of an answer that is right becomes another kind of JSON. The law: the pull
 * comes to the same, or it is refused with a sentence.
 */

let harness: ImportHarness;
let shop: ShopUnderImport;
let server: PlatformServer;

beforeAll(async () => {
  // As for creating each of the platforms.
  hideSecrets(wooKey.key, wooKey.secret);
  hideSecrets(shopifyToken);
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

beforeEach(async () => {
  shop = await harness.createShop();
});
afterEach(() => server?.close());

const secretText = [wooKey.secret, Buffer.from(`${wooKey.key}:${wooKey.secret}`).toString('base64'), shopifyToken].join(' '); // prettier-ignore

/** JSON texts: other types, damaged texts, deep and wide ones, and texts that repeat the credential. */
const anything: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('null', 'true', '0', '-1', '1e999', '1.5', '""', '"x"', '"\\u0000"', '"\\ud800"', '[]', '{}', '[null]', '[[]]'),
  fc.constantFrom('{"id":1}', '[{"id":"1"}]', '{"__proto__":{"id":1}}', '{"message":1}', '[{"message":null}]', '[1,2]'),
  fc.constantFrom('"not a url"', '"http://"', '"file:///etc/passwd"', '"javascript:1"', '"http://127.0.0.1:1/x"', '', '{', 'Infinity'),
  fc.constantFrom(101, 5_000, 20_000, 200_000).chain((depth) => fc.constantFrom('['.repeat(depth) + ']'.repeat(depth), `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)), // prettier-ignore
  fc.constant(JSON.stringify(secretText)),
  fc.json({ maxDepth: 3 }),
); // prettier-ignore

/** The text of a value with other text in one place, chosen by a number. */
function replaceAt(value: unknown, choice: number, text: string): string {
  const places: (readonly (string | number)[])[] = [];
  const walk = (node: unknown, path: readonly (string | number)[]): void => {
    places.push(path);
    if (Array.isArray(node)) node.forEach((item, at) => walk(item, [...path, at]));
    else if (typeof node === 'object' && node !== null)
      for (const [name, member] of Object.entries(node)) walk(member, [...path, name]);
  };
  walk(value, []);
  const chosen = JSON.stringify(places[choice % places.length]);
  const write = (node: unknown, path: readonly (string | number)[]): string => {
    if (JSON.stringify(path) === chosen) return text;
    if (Array.isArray(node)) return `[${node.map((item, at) => write(item, [...path, at])).join(',')}]`;
    if (typeof node === 'object' && node !== null)
      return `{${Object.entries(node).map(([name, member]) => `${JSON.stringify(name)}:${write(member, [...path, name])}`).join(',')}}`; // prettier-ignore
    return JSON.stringify(node);
  };
  return write(value, []);
}

const pullWooCommerce = (options?: Parameters<typeof pull>[3]) =>
  pull(shop, createWooCommerce(wooKey), server.url, options);

const startWith = (...products: WooShop['products']) =>
  startWooCommerce({ products, variations: new Map(), orders: [] });

/** The outcome of a pull: nothing unexpected, and nothing of the credential. */
async function outcome(pulling: Promise<{ readonly report: unknown; readonly log: readonly string[] }>): Promise<string> {
  let shown: string;
  let code = 'imported';
  try {
    const { report, log } = await pulling;
    shown = withoutSecrets(JSON.stringify(report) + log.join('\n'));
  } catch (error) {
    const { code: failed, text, unexpected } = toFailure(error);
    expect([unexpected, text]).toEqual([false, expect.stringMatching(/\w+ \w+/)]);
    expect(['PULL_FAILED', 'IMPORT_REFUSED']).toContain(failed);
    shown = withoutSecrets(text);
    code = failed;
  }
  for (const secret of secretText.split(' ')) expect(shown).not.toContain(secret);
  return code;
} // prettier-ignore

const status = fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, fc.constantFrom(200, 204, 206, 300, 301, 400, 401, 403, 404, 418, 429, 500, 503)); // prettier-ignore

describe('a platform that returns anything', () => {
  it('as WooCommerce: the pull is right, or says why not', async () => {
    const woo = {
      products: [wooProduct(1), wooProduct(2, { type: 'variable', variations: [21, 22] })],
      variations: new Map([[2, [wooVariation(21, 'S'), wooVariation(22, 'M')]]]),
      orders: [wooOrder(10)],
    };
    const model = await startWooCommerce(woo);
    const seen = new Set<string>();
    try {
      await fc.assert(
        fc.asyncProperty(fc.nat({ max: 3 }), fc.nat(), anything, status, async (request, choice, text, code) => {
          let at = -1;
          server = await startPlatform(async ({ url, headers }) => {
            at += 1;
            const response = await fetch(new URL(url.pathname + url.search, model.url), { headers: headers as Record<string, string> }); // prettier-ignore
            const body = await response.text();
            const total = response.headers.get('x-wp-total') ?? '0';
            if (at !== request) return { headers: { 'X-WP-Total': total }, body };
            return { status: code, headers: { 'X-WP-Total': total }, body: replaceAt(JSON.parse(body), choice, text) };
          });
          seen.add(await outcome(pullWooCommerce()));
          await server.close();
        }),
        { numRuns: 120 },
      );
    } finally {
      await model.close();
    }
    expect([...seen].sort()).toEqual(['IMPORT_REFUSED', 'PULL_FAILED', 'imported']);
  });

  it('as Shopify: tokens, operations, their states, errors and files', async () => {
    const results = {
      products: `${JSON.stringify({ id: 'gid://shopify/Product/1', title: 'Mug', handle: 'mug', status: 'ACTIVE', tags: ['a'], seo: { title: null }, featuredMedia: { preview: { image: { url: 'https://cdn.example/a.jpg' } } } })}\n`, // prettier-ignore
    };
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 5 }), fc.nat(), anything, status, fc.boolean(), async (request, choice, text, code, fails) => {
        const model = await startShopify(newShopifyShop(results));
        let at = -1;
        server = await startPlatform(async ({ url, method, headers, body }) => {
          at += 1;
          const response = await fetch(new URL(url.pathname + url.search, model.url), { method, headers: headers as Record<string, string>, ...(body !== '' && { body }) }); // prettier-ignore
          const answer = (await response.text()).replaceAll(model.url.origin, server.url.origin);
          if (at !== request) return { body: answer };
          const value: unknown = fails ? { errors: [{ message: 'No', extensions: { code: 'THROTTLED' } }], extensions: { cost: { requestedQueryCost: 10, throttleStatus: { currentlyAvailable: 1, restoreRate: 5 } } } } : JSON.parse(answer); // prettier-ignore
          return { status: code, body: replaceAt(value, choice, text) };
        });
        const platform = createShopify({ clientId: 'app', clientSecret: 'shpss_0123' });
        seen.add(await outcome(pull(shop, platform, server.url, { types: ['products'] })));
        await Promise.all([server.close(), model.close()]);
      }),
      { numRuns: 120 },
    ); // prettier-ignore
    expect([...seen]).toEqual(expect.arrayContaining(['PULL_FAILED', 'imported']));
  });

  it('as file storage: a file, or the rest of an interrupted one, is what was requested, or the pull fails', async () => {
    const count = 40;
    const products = Array.from({ length: count }, (_, n) => `${JSON.stringify({ id: `gid://shopify/Product/${1000 + n}`, title: 'Mug', handle: `mug-${1000 + n}`, status: 'ACTIVE', tags: [] })}\n`).join(''); // prettier-ignore
    const line = products.length / count;
    const answers = fc.record({
      breaksOff: fc.boolean(),
      hasSize: fc.boolean(),
      status: fc.constantFrom(200, 203, 204, 206, 206, 206, 226),
      // By line, from where the file broke off, and from its end.
      begins: fc.constantFrom(0, 0, -1, 1, -count),
      ends: fc.constantFrom(0, 0, -1, -10),
      range: fc.constantFrom('none', 'true', 'true', 'as asked', 'of another length', 'without a length', 'in lines'),
      tag: fc.constantFrom('"1"', '"2"', undefined),
    });
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(answers, async ({ breaksOff, hasSize, status, begins, ends, range, tag }) => {
        const model = await startShopify(newShopifyShop({ products }));
        let downloads = 0;
        server = await startPlatform(async ({ url, method, headers, body }) => {
          const given = headers as Record<string, string>;
          const response = await fetch(new URL(url.pathname + url.search, model.url), { method, headers: given, ...(body !== '' && { body }) }); // prettier-ignore
          const text = (await response.text()).replaceAll(model.url.origin, server.url.origin);
          if (!url.pathname.startsWith('/results/'))
            return { body: hasSize ? text : text.replace(/"fileSize":"\d+"/, '"fileSize":null') };
          downloads += 1;
          if (downloads !== (breaksOff ? 2 : 1)) return { status: response.status, headers: Object.fromEntries(['etag', 'content-range'].flatMap((name) => { const value = response.headers.get(name); return value === null ? [] : [[name, value]]; })), body: text }; // prettier-ignore
          const asked = breaksOff ? products.length / 2 : 0;
          // What claims to be complete is complete: nothing shows otherwise.
          const isWhole = status === 200 && range === 'none';
          const [from, to] = isWhole ? [0, products.length] : [Math.max(0, asked + begins * line), products.length + ends * line]; // prettier-ignore
          const ranges = {
            'none': undefined,
            'true': `bytes ${from}-${to - 1}/${products.length}`,
            'as asked': `bytes ${asked}-${products.length - 1}/${products.length}`,
            'of another length': `bytes ${asked}-${to - 1}/${to}`,
            'without a length': `bytes ${from}-${to - 1}/*`,
            'in lines': `lines ${from}-${to - 1}/${products.length}`,
          }; // prettier-ignore
          const contentRange = ranges[range];
          return { status, headers: { ...(tag && { ETag: tag }), ...(contentRange && { 'Content-Range': contentRange }) }, body: status === 204 ? '' : products.slice(from, to) }; // prettier-ignore
        });
        if (breaksOff) server.faults = [undefined, undefined, undefined, 'cut'];
        const fresh = await harness.createShop();
        const code = await outcome(pull(fresh, createShopify({ token: shopifyToken }), server.url, { types: ['products'] })); // prettier-ignore
        seen.set(code, (seen.get(code) ?? 0) + 1);
        expect(await fresh.rows('products')).toHaveLength(code === 'imported' ? count : 0);
        await Promise.all([server.close(), model.close()]);
      }),
      { numRuns: 150 },
    );
    for (const code of ['PULL_FAILED', 'imported']) expect(seen.get(code)).toBeGreaterThan(10);
  });
});

describe('the bounds of a pull', () => {
  const limits = { fileBytes: 2000, requestMilliseconds: 300 };

  it('ends with a file that is longer than the bound', async () => {
    server = await startShopify(newShopifyShop({ products: `{"id":"gid://shopify/Product/1"}\n`.repeat(100) }));
    const pulling = pull(shop, createShopify({ token: shopifyToken }), server.url, { limits, types: ['products'] });
    expect(await failure(pulling)).toContain('expected at most 2000 bytes per type, got more');
  });

  it('ends a list that never ends', async () => {
    server = await startWith(...Array.from({ length: 300 }, (_, n) => wooProduct(n + 1)));
    const pulling = pullWooCommerce({ limits: { ...limits, requestMilliseconds: 60_000 } });
    expect(await failure(pulling)).toContain('expected at most 2000 bytes per type, got more');
  });

  it('ends a request whose response arrives byte by byte', async () => {
    server = await startPlatform(() => 'drip');
    const { log } = await pullWooCommerce({ limits }).catch((error: Error) => ({ log: [error.message] }));
    expect(log.join()).toMatch(/\(no complete response within 15 minutes\) after 8 attempts; try again later$/);
  });
});

describe('--directory', () => {
  const target = (): { readonly directory: string; readonly other: string } => {
    const directory = mkdtempSync(join(tmpdir(), 'pull-directory-'));
    const other = join(mkdtempSync(join(tmpdir(), 'pull-other-')), 'victim');
    writeFileSync(other, 'precious');
    return { directory, other };
  };
  const plant = { 'a symbolic link': symlinkSync, 'a hard link': (to: string, at: string) => linkSync(to, at) };

  it.each(
    Object.entries(plant).flatMap(([name, link]) =>
      ['products.ndjson', 'pull.json', 'pull.json.new'].map((file) => [name, file, link] as const),
    ),
  )('does not write through a %s planted as %s', async (_, file, link) => {
    const { directory, other } = target();
    link(other, join(directory, file));
    server = await startWith(wooProduct(1));
    await outcome(pullWooCommerce({ directory }));
    expect(readFileSync(other, 'utf8')).toBe('precious');
  });

  it('is not a link itself', async () => {
    const { directory } = target();
    mkdirSync(join(directory, 'real'));
    symlinkSync(join(directory, 'real'), join(directory, 'link'));
    server = await startWith();
    const pulling = pullWooCommerce({ directory: join(directory, 'link') });
    expect(await failure(pulling)).toContain('must be a file or directory that you own');
  });

  it('may contain anything', async () => {
    server = await startWith(wooProduct(1));
    await fc.assert(
      fc.asyncProperty(fc.nat(), anything, async (choice, text) => {
        const { directory } = target();
        const state = { request: { platform: 'test', url: server.url.href, types: ['products'], since: null }, startedAt: new Date(0).toISOString(), progress: { products: { offset: 1, last: 1, bytes: 1, isComplete: false } } }; // prettier-ignore
        writeFileSync(join(directory, 'pull.json'), replaceAt(state, choice, text));
        await outcome(pullWooCommerce({ directory, types: ['products'] }));
      }),
      { numRuns: 60 },
    );
  });
});
