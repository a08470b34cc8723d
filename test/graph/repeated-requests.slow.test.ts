import { exchange } from '../support/rest-client';
import { seedApiKey, seedOrder, seedProduct, seedShop } from '../support/seed';
import { useService } from '../support/service';
import { fc } from '../support/properties';

const service = useService({ rateLimit: 100_000 });

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

interface Asked {
  readonly query: string;
  readonly variables?: object;
  readonly operationName?: string;
}
const toCall = (method: string, asked: Asked, headers: Readonly<Record<string, string>>) => {
  if (method === 'POST')
    return {
      path: '/graphql',
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(asked),
    };
  const { query, variables = {}, operationName = '' } = asked;
  return {
    path: `/graphql?${new URLSearchParams({ query, operationName, variables: JSON.stringify(variables) }).toString()}`,
    method,
    headers,
  };
};

describe('a repeated GraphQL request', () => {
  it('gets the response of the first, with headers of its own, and never what another caller, another request or older data got', async () => {
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
          form: fc.constantFrom<[method: string, headers: Readonly<Record<string, string>>]>(
            ['POST', {}],
            ['POST', { Accept: 'application/graphql-response+json', Origin: 'https://dashboard.example' }],
            ['POST', { 'X-GraphQL-Cost': '1', 'Accept-Encoding': 'gzip, br' }],
            // Together the two signs would look like a comment.
            ['GET', { Accept: ['*', '*'].join('/') }],
            ['HEAD', {}],
          ),
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
          const body = bodies[each.body] as Asked;
          const send = async (asked: Asked) => {
            const { path, ...call } = toCall(each.form[0], asked, {
              ...each.form[1],
              Authorization: `Bearer ${apiKey}`,
            });
            return exchange(service.origin, path, call);
          };
          // The third comes from the cache.
          const repeated = [await send(body), await send(body), await send(body)];
          // The same in a document that no request had before.
          const all = [...repeated, await send({ ...body, query: `${body.query} # ${(unique += 1)}` })];
          const [expected, ...found] = all.map(({ status, headers, bytes }) => ({
            ...{ status, headers: withoutOwn(headers), bytes },
          }));
          for (const answer of found) expect(answer).toEqual(expected);
          for (const name of ['x-request-id', 'ratelimit-remaining'])
            expect(new Set(all.map(({ headers }) => headers[name])).size).toBe(all.length);
        }
      }),
      { numRuns: 10 },
    );
  });
});
