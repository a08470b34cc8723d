import { fc } from '../support/properties';
import { exchange } from '../support/rest-client';
import { useService } from '../support/service';
import type { ShopFixture } from '../support/shop-fixture';
import { createShop } from '../support/shop-fixture';

let shop: ShopFixture;
const service = useService({ rateLimit: 10_000 });
beforeAll(async () => {
  shop = await createShop(service);
});

const call = (target: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  exchange(service.origin, target, { method, headers: { Authorization: `Bearer ${shop.apiKey}`, ...headers } });

const known: Readonly<Record<string, readonly string[]>> = {
  '/v1/shop': [],
  '/v1/products': ['q', 'status', 'vendor', 'product_type', 'tag', 'limit'],
  '/v1/collections': ['published', 'limit'],
  '/v1/orders': ['financial_status', 'fulfillment_status', 'limit'],
  '/changes': ['types', 'limit', 'wait'],
  '/export': ['types', 'format'],
};
const valueOf: Readonly<Record<string, string>> = {
  status: 'ACTIVE',
  limit: '1',
  published: 'true',
  types: 'orders',
  wait: '0',
  format: 'snapshot',
};

describe('Ignored-Parameters (D4)', () => {
  it('is also sent with a 304 and from the cache, and scripts of other origins may read it', async () => {
    const first = await call('/v1/products?page=2');
    const again = await call('/v1/products?page=2', { 'If-None-Match': String(first.headers['etag']) });
    expect([again.status, again.headers['ignored-parameters']]).toEqual([304, 'page']);
    expect(first.headers['access-control-expose-headers']).toContain('Ignored-Parameters');
  });

  it('has exactly the names that the operation does not have, in one bounded line, whatever they are', async () => {
    const pieces = fc.array(
      fc.record({
        name: fc.oneof(
          fc.constantFrom('q', 'status', 'limit', 'cursor_', 'page', 'types', 'format', '__proto__', 'constructor'),
          fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
          fc.constantFrom('a\r\nSet-Cookie: b=c', 'a,b', '\u0000', 'é'.repeat(80), '🎁'.repeat(41)),
        ),
        value: fc.string({ maxLength: 3 }),
      }),
      { maxLength: 14 },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(known)), pieces, async (path, given) => {
        const names = known[path] as readonly string[];
        const own = names.map((name) => [name, valueOf[name] ?? ''] as const);
        const others = given.filter(({ name }) => !names.includes(name) && name !== 'cursor');
        const query = [...own, ...others.map(({ name, value }) => [name, value] as const)]
          .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
          .join('&');
        const { status, headers } = await call(`${path}?${query}`);
        const header = headers['ignored-parameters'];
        const distinct = [...new Set(others.map(({ name }) => name))];
        expect([status, header === undefined]).toEqual([200, distinct.length === 0]);
        if (header === undefined) return;
        expect(header).toMatch(/^[\w.!~*'()%, -]*$/);
        expect(String(header).length).toBeLessThan(10 * (40 * 12 + 5) + 5);
        const listed = String(header).split(', ');
        expect(listed).toHaveLength(distinct.length > 10 ? 11 : distinct.length);
        listed.slice(0, 10).forEach((text, index) => {
          const name = distinct[index] as string;
          const isWhole = [...name].length <= 40;
          const start = decodeURIComponent(isWhole ? text : text.slice(0, -'...'.length));
          expect(start).toBe([...name].slice(0, 40).join(''));
        });
      }),
      { numRuns: 60 },
    );
  });
});
