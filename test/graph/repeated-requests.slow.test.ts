import { exchange } from '../support/rest-client';
import { seedApiKey, seedOrder, seedProduct, seedShop } from '../support/seed';
import { useService } from '../support/service';
import { fc } from '../support/properties';

const service = useService({ rateLimit: 100_000 });

/** Any media type, except that the two characters together would look like a comment. */
const anyType = ['*', '*'].join('/');

type Headers = Readonly<Record<string, string>>;

/** Everything that differs between any two responses. */
const withoutOwn = ({
  'x-request-id': _id,
  date: _date,
  'server-timing': _timing,
  ...headers
}: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('ratelimit')));

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
      ...['A', 'B'].map((operationName) => ({
        query: 'query A { products { nodes { title } } } query B { products { totalCount } }',
        operationName,
      })),
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
          // The same request with other bytes, which no request had before.
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
  });
});
