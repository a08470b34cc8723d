import { askGraphql } from '../support/graphql-client';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedOrder, seedProduct, seedShop } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';
import { fc } from '../support/properties';

let service: Service;
beforeAll(async () => {
  service = await startService({ rateLimit: 100_000 });
});
afterAll(() => service.close());

/** Any media type; the two signs together would look like a comment. */
const anyType = ['*', '*'].join('/');

type Headers = Readonly<Record<string, string>>;

const readMetric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${service.origin}/metrics`)).text();
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
};
const countRepeated = () => readMetric('graphql_repeated_requests_total');
const countPriced = () => readMetric('graphql_operation_cost_count');

/** What differs between any two responses. */
const withoutOwn = ({
  'x-request-id': _id,
  date: _date,
  'server-timing': _timing,
  ...headers
}: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('ratelimit-')));

async function seed() {
  const shop = await seedShop(service.sql);
  await seedProduct(service.sql, shop, { title: 'Becher „groß“ 🍵 \u2028' });
  await seedOrder(service.sql, shop);
  return { shop, apiKey: (await seedApiKey(service.sql, shop)).apiKey };
}

const poll = 'query ($after: String) { changes(after: $after) { nodes { id } pageInfo { endCursor hasNextPage } } }';
const small = '{ products { nodes { title } } }';
const post = (body: object | string, headers: Headers = {}) => ({
  method: 'POST',
  path: '/graphql',
  headers: { 'Content-Type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const get = (query: string, headers: Headers = {}, method = 'GET') => ({
  method,
  path: `/graphql?query=${encodeURIComponent(query)}`,
  headers,
});

describe('a repeated GraphQL request', () => {
  it.each<[string, { method: string; path: string; headers: Headers; body?: string }]>([
    ['a poll of the change feed', post({ query: poll })],
    ['a small page', post({ query: small })],
    ['GET', get(small)],
    ['HEAD', get(small, {}, 'HEAD')],
    ['the media type of GraphQL', post({ query: small }, { Accept: 'application/graphql-response+json' })],
    ['any media type', post({ query: small }, { Accept: anyType })],
    ['encodings', post({ query: small }, { 'Accept-Encoding': 'gzip, br' })],
    ['the cost', post({ query: small }, { 'X-GraphQL-Cost': '1' })],
    ['an origin', post({ query: small }, { Origin: 'https://dashboard.example' })],
    ['a name', post({ query: `query A ${small} query B { shop { name } }`, operationName: 'B' })],
    ['spaces', post(` {"query" :\n"${small}"}`)],
    ['a charset', post({ query: small }, { 'Content-Type': 'application/json; charset=utf-8' })],
  ])('gets the response of the first, except for what belongs to the request: %s', async (_what, request) => {
    const { apiKey } = await seed();
    const ask = () =>
      exchange(service.origin, request.path, {
        ...request,
        headers: { ...request.headers, Authorization: `Bearer ${apiKey}` },
      });
    const [repeated, priced] = [await countRepeated(), await countPriced()];
    const first = await ask();
    expect(first.status).toBe(200);
    const ids = new Set([first.headers['x-request-id']]);
    let left = Number(first.headers['ratelimit-remaining']);
    for (let round = 0; round < 4; round += 1) {
      const { status, text, headers } = await ask();
      expect({ status, text, headers: withoutOwn(headers) }).toEqual({
        status: first.status,
        text: first.text,
        headers: withoutOwn(first.headers),
      });
      ids.add(headers['x-request-id']);
      expect(Number(headers['ratelimit-remaining'])).toBeLessThan(left);
      left = Number(headers['ratelimit-remaining']);
    }
    expect(ids.size).toBe(5);
    // Stored when it was made the second time.
    expect([(await countRepeated()) - repeated, (await countPriced()) - priced]).toEqual([3, 5]);
  });

  it.each<[string, { query: string; variables?: object; scopes?: readonly string[] }]>([
    ['an error in the document', { query: '{ unknown }' }],
    ['a syntax error', { query: '{' }],
    ['a missing scope', { query: '{ orders { nodes { id } } }', scopes: ['catalog:read'] }],
    [
      'variables that do not fit',
      { query: 'query ($first: Int) { products(first: $first) { nodes { id } } }', variables: { first: 'a' } },
    ],
    ['an argument out of range', { query: '{ products(first: -1) { nodes { id } } }' }],
    [
      'an answer that is compressed',
      { query: `{ ${Array.from({ length: 60 }, (_, index) => `a${index}: shop { name }`).join(' ')} }` },
    ],
  ])('runs each time if it is about %s', async (_what, { scopes, ...body }) => {
    const { shop } = await seed();
    const { apiKey } = await seedApiKey(service.sql, shop, scopes && { scopes });
    const before = await countRepeated();
    const texts = new Set<string>();
    for (let round = 0; round < 5; round += 1) {
      const answer = await exchange(service.origin, '/graphql', post(body, { Authorization: `Bearer ${apiKey}` }));
      texts.add(answer.text);
    }
    expect([texts.size, (await countRepeated()) - before]).toEqual([1, 0]);
  });

  it('never gets what another caller, another request or older data got', async () => {
    const shops = [await seed(), await seed()];
    const keys = await Promise.all(
      shops.flatMap(({ shop }) =>
        [['catalog:read'], ['account:read', 'catalog:read', 'orders:read']].map(async (scopes) => ({
          shop,
          apiKey: (await seedApiKey(service.sql, shop, { scopes })).apiKey,
        })),
      ),
    );
    const bodies = [
      { query: '{ products(first: 3) { nodes { id title } totalCount } }' },
      { query: 'query ($n: Int) { products(first: $n) { nodes { id } } }', variables: { n: 1 } },
      { query: 'query ($n: Int) { products(first: $n) { nodes { id } } }', variables: { n: 2 } },
      { query: '{ orders { nodes { id orderNumber } } }' },
      { query: '{ shop { name } products(first: 1) { nodes { title } } }' },
      { query: poll },
    ];
    const step = fc.oneof(
      { weight: 1, arbitrary: fc.record({ writes: fc.constantFrom(0, 1) }) },
      {
        weight: 40,
        arbitrary: fc.record({
          key: fc.nat({ max: keys.length - 1 }),
          body: fc.nat({ max: bodies.length - 1 }),
          accept: fc.constantFrom('application/json', 'application/json', 'application/graphql-response+json'),
          cost: fc.constantFrom('0', '0', '1'),
        }),
      },
    );
    const before = await countRepeated();
    let unique = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 80, maxLength: 120 }), async (steps) => {
        for (const each of steps) {
          if ('writes' in each) {
            await seedProduct(service.sql, (shops[each.writes] as (typeof shops)[0]).shop);
            continue;
          }
          const { apiKey } = keys[each.key] as (typeof keys)[0];
          const body = bodies[each.body] as (typeof bodies)[0];
          const headers = { Authorization: `Bearer ${apiKey}`, Accept: each.accept, 'X-GraphQL-Cost': each.cost };
          const repeated = await exchange(service.origin, '/graphql', post(body, headers));
          // The same in other bytes, which no request had before.
          const other = await exchange(
            service.origin,
            '/graphql',
            post({ ...body, extensions: { at: (unique += 1) } }, headers),
          );
          expect({ status: repeated.status, type: repeated.headers['content-type'], text: repeated.text }).toEqual({
            status: other.status,
            type: other.headers['content-type'],
            text: other.text,
          });
        }
      }),
      { numRuns: 10 },
    );
    expect((await countRepeated()) - before).toBeGreaterThan(20);
  });

  it.each(['GET', 'POST'])('does not hide what %s is refused for, or what its headers ask for', async (method) => {
    const { apiKey } = await seed();
    const authorization = { Authorization: `Bearer ${apiKey}` };
    let unique = 0;
    const ask = (headers: Headers, isUnique: boolean) => {
      const extensions = isUnique ? { at: (unique += 1) } : {};
      return method === 'POST'
        ? post({ query: small, extensions }, { ...headers, ...authorization })
        : {
            ...get(small, { ...headers, ...authorization }),
            path: `${get(small).path}&extensions=${encodeURIComponent(JSON.stringify(extensions))}`,
          };
    };
    const send = (request: ReturnType<typeof ask>) => exchange(service.origin, request.path, request);
    for (let round = 0; round < 3; round += 1) await send(ask({}, false));
    const header = fc.constantFrom<Headers>(
      ...['application/xml', 'application/json;charset=latin1', 'text/plain', 'application/graphql', ''].map(
        (type) => ({
          'Content-Type': type,
        }),
      ),
      ...[
        'text/html',
        `${anyType};q=0`,
        'multipart/mixed;deferSpec=20220824, application/json',
        'application/graphql-response+json;q=0.1, application/json;q=0.01',
      ].map((accept) => ({ Accept: accept })),
      { 'Content-Encoding': 'gzip' },
      { 'Accept-Encoding': 'identity;q=0, *;q=0' },
      { 'If-None-Match': '*' },
      { Range: 'bytes=0-3' },
      { 'X-HTTP-Method-Override': 'DELETE' },
      { 'X-GraphQL-Cost': 'true' },
      { Origin: 'null' },
      { Cookie: 'a=b' },
      { Expect: '100-continue' },
      { 'Apollo-Require-Preflight': 'x' },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(header, { minLength: 1, maxLength: 3 }), async (headers) => {
        const all = Object.assign({}, ...headers) as Headers;
        const [repeated, other] = [await send(ask(all, false)), await send(ask(all, true))];
        expect({ status: repeated.status, text: repeated.text, headers: withoutOwn(repeated.headers) }).toEqual({
          status: other.status,
          text: other.text,
          headers: withoutOwn(other.headers),
        });
      }),
      { numRuns: 150 },
    );
  });

  it('is refused without a valid key, and when the plan or the limit ends', async () => {
    const { shop, apiKey } = await seed();
    const ask = () => askGraphql(service.origin, apiKey, small);
    for (let round = 0; round < 4; round += 1) expect((await ask()).status).toBe(200);
    await service.sql('UPDATE shops SET plan = $2 WHERE shop_id = $1', [shop, 'starter']);
    expect((await ask()).status).toBe(403);
    await service.sql('UPDATE shops SET plan = $2 WHERE shop_id = $1', [shop, 'business']);
    expect((await ask()).status).toBe(200);
    await service.sql('UPDATE api_keys SET revoked_at = now() WHERE shop_id = $1', [shop]);
    expect((await ask()).status).toBe(401);
  });
});
