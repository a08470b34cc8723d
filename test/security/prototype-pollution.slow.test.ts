import { exchange } from '../support/rest-client';
import type { Service } from '../support/service';
import { startService } from '../support/service';
import type { ShopFixture } from '../support/shop-fixture';
import { createShop } from '../support/shop-fixture';

let service: Service;
let shop: ShopFixture;
beforeAll(async () => {
  service = await startService();
  shop = await createShop(service);
});
afterAll(() => service.close());

/** Everything that all objects, lists, functions and texts of the process inherit, by name. */
function readInherited(): Map<string, unknown> {
  const members = [Object, Array, Function, String, Map, Promise].flatMap(({ name, prototype }) =>
    Reflect.ownKeys(prototype).map((key): [string, unknown] => {
      const member = Object.getOwnPropertyDescriptor(prototype, key);
      return [`${name}.${String(key)}`, member?.get ?? (member?.value as unknown)];
    }),
  );
  return new Map(members);
}

const polluted = ['__proto__', 'constructor', 'prototype', 'constructor.prototype', '__proto__.limit'];
const query = 'query ($f: ProductFilter, $n: Int) { products(first: $n, filter: $f) { totalCount } }';

/** Not made by JSON.stringify: JSON.stringify would leave `__proto__` out. */
const bodies = [
  `{"query": "{ shop { id } }", "__proto__": {"polluted": 1, "variables": {"n": 1}}}`,
  `{"query": "{ shop { id } }", "constructor": {"prototype": {"polluted": 1}}}`,
  `{"query": "${query}", "variables": {"__proto__": {"polluted": 1, "n": 201}}}`,
  `{"query": "${query}", "variables": {"f": {"__proto__": {"polluted": 1, "tag": "a"}}}}`,
  `{"query": "${query}", "variables": {"f": {"constructor": {"prototype": {"polluted": 1}}}}}`,
  `{"query": "${query}", "variables": {"n": {"__proto__": {"valueOf": 1}}}}`,
  `{"query": "{ shop { id } }", "extensions": {"__proto__": {"polluted": 1}, "persistedQuery": {"__proto__": {"version": 1}}}}`,
  `{"__proto__": {"query": "{ shop { id } }"}}`,
  `[{"__proto__": {"polluted": 1}}]`,
];

describe('no name that a client sends reaches a prototype', () => {
  const before = readInherited();
  afterEach(() => {
    const after = readInherited();
    expect([...after.keys()]).toEqual([...before.keys()]);
    expect([...after].filter(([name, value]) => !Object.is(value, before.get(name)))).toEqual([]);
  });
  const bearer = () => ({ Authorization: `Bearer ${shop.apiKey}` });

  it.each(polluted)('in a query string: %s', async (name) => {
    const plain = await exchange(service.origin, '/v1/products', { headers: bearer() });
    for (const pair of [`${name}=polluted`, `${name}[polluted]=1`, `${name}%5Blimit%5D=1`, `${name}=1&${name}=2`]) {
      const answer = await exchange(service.origin, `/v1/products?${pair}`, { headers: bearer() });
      // Like any other unknown parameter (D4).
      expect([pair, answer.status, answer.text]).toEqual([pair, 200, plain.text]);
    }
  });

  it.each(bodies)('in a GraphQL body: %s', async (body) => {
    const headers = { ...bearer(), 'Content-Type': 'application/json' };
    const { status, text } = await exchange(service.origin, '/graphql', { method: 'POST', headers, body });
    expect([200, 400]).toContain(status);
    // A limit, a filter or a document that is in a prototype has no effect.
    expect(text).not.toContain('INTERNAL_SERVER_ERROR');
    if (body.startsWith('{"__proto__": {"query"')) expect(status).toBe(400);
  });

  it('in a GraphQL query string', async () => {
    const pairs = new URLSearchParams({ query: '{ shop { id } }', variables: '{"__proto__": {"polluted": 1}}' });
    for (const name of polluted) pairs.append(name, '{"polluted": 1}');
    const headers = { ...bearer(), 'Apollo-Require-Preflight': 'true' };
    const { status, body } = await exchange(service.origin, `/graphql?${pairs.toString()}`, { headers });
    expect({ status, body }).toEqual({ status: 200, body: { data: { shop: { id: shop.shopId } } } });
  });

  it.each(polluted)('in the form of the token endpoint: %s', async (name) => {
    const { status } = await exchange(service.origin, '/oauth/token', {
      method: 'POST',
      headers: {
        Authorization: `Basic ${Buffer.from(`${shop.clientId}:${shop.clientSecret}`).toString('base64')}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: `grant_type=client_credentials&${name}=catalog:read&${name}[scope]=x`,
    });
    expect(status).toBe(200);
  });

  it.each(polluted)('in a credential: %s', async (name) => {
    const headers = { Authorization: `Bearer ${name}.${name}` };
    expect(await exchange(service.origin, '/v1/shop', { headers })).toMatchObject({ status: 401 });
  });
});
