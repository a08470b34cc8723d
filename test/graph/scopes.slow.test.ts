import { randomUUID } from 'node:crypto';
import { findValue, parseMetrics } from '../observability/parse-metrics';
import { askGraphql } from '../support/graphql-client';
import { fc } from '../support/properties';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useService } from '../support/service';

const scopes = ['account:read', 'catalog:read', 'orders:read'] as const;
type Scope = (typeof scopes)[number];

const keys: Record<string, string> = {};
const ids: Record<string, string> = {};

const service = useService({ rateLimit: 10_000 });
beforeAll(async () => {
  const { sql } = service;
  const shop = await seedShop(sql);
  ids['Shop'] = shop;
  ids['Product'] = await seedProduct(sql, shop);
  ids['Variant'] = await seedVariant(sql, shop, ids['Product']);
  ids['Collection'] = await seedCollection(sql, shop);
  ids['Order'] = await seedOrder(sql, shop);
  for (const scope of scopes) keys[scope] = (await seedApiKey(sql, shop, { scopes: [scope] })).apiKey;
  for (const scope of scopes) {
    const others = scopes.filter((each) => each !== scope);
    keys[`all but ${scope}`] = (await seedApiKey(sql, shop, { scopes: others })).apiKey;
  }
  keys['all'] = (await seedApiKey(sql, shop)).apiKey;
});

/** Every field of Query, by the type it returns. */
const rootFields: readonly (readonly [alias: string, field: (type: string) => string, scope: Scope])[] = [
  ['shop', () => 'shop { id }', 'account:read'],
  ['product', () => `product(id: "${ids['Product']}") { id }`, 'catalog:read'],
  ['products', () => 'products { nodes { id } }', 'catalog:read'],
  ['variants', () => 'variants { nodes { id } }', 'catalog:read'],
  ['collection', () => `collection(id: "${ids['Collection']}") { id }`, 'catalog:read'],
  ['collections', () => 'collections { nodes { id } }', 'catalog:read'],
  ['order', () => `order(id: "${ids['Order']}") { id }`, 'orders:read'],
  ['orders', () => 'orders { nodes { id } }', 'orders:read'],
  ['orderFigures', () => 'orderFigures { totals { count } }', 'orders:read'],
  ['productFigures', () => 'productFigures { count }', 'catalog:read'],
];

const scopeOfType: Readonly<Record<string, Scope>> = {
  Shop: 'account:read',
  Product: 'catalog:read',
  Variant: 'catalog:read',
  Collection: 'catalog:read',
  Order: 'orders:read',
};

const forbidden = (scope: Scope, path: readonly (string | number)[]) =>
  expect.objectContaining({
    message: expect.stringContaining(scope) as string,
    path,
    extensions: { code: 'FORBIDDEN' },
  }) as unknown;

const carriedBy = (key: string): readonly Scope[] =>
  scopes.filter((scope) => (key.startsWith('all') ? !key.endsWith(scope) : key === scope));

describe.each([...scopes, ...scopes.map((scope) => `all but ${scope}`), 'all'])('a key with %s', (key) => {
  const carried = carriedBy(key);

  it('gets the fields it may read from one document, null and FORBIDDEN for the rest, with HTTP 200 (D26)', async () => {
    const document = rootFields.map(([alias, field]) => `${alias}: ${field(alias)}`).join('\n');
    const { status, data, errors } = await askGraphql<Record<string, unknown>>(
      service.origin,
      keys[key],
      `{ ${document} }`,
    );
    expect(status).toBe(200);
    const refused = rootFields.filter(([, , scope]) => !carried.includes(scope));
    const isNull = Object.fromEntries(Object.entries(data).map(([alias, value]) => [alias, value === null]));
    expect(isNull).toEqual(Object.fromEntries(rootFields.map(([alias, , scope]) => [alias, !carried.includes(scope)])));
    expect(errors ?? []).toHaveLength(refused.length);
    for (const [alias, , scope] of refused) expect(errors).toContainEqual(forbidden(scope, [alias]));
  });

  it('gets the same from the fields of the shop', async () => {
    const { status, data, errors } = await askGraphql<{ shop: Record<string, unknown> | null }>(
      service.origin,
      keys[key],
      `{ shop { id products { nodes { id variants { id } } } collections { nodes { id } } orders { nodes { id } }
           orderFigures { totals { count } } productFigures { count } } }`,
    );
    expect(status).toBe(200);
    if (!carried.includes('account:read')) {
      expect({ data, errors }).toEqual({ data: { shop: null }, errors: [forbidden('account:read', ['shop'])] });
      return;
    }
    const nested = {
      ...({ products: 'catalog:read', collections: 'catalog:read', orders: 'orders:read' } as const),
      ...({ orderFigures: 'orders:read', productFigures: 'catalog:read' } as const),
    };
    const refused = Object.entries(nested).filter(([, scope]) => !carried.includes(scope));
    expect(
      Object.entries(data.shop ?? {})
        .filter(([, value]) => value === null)
        .map(([name]) => name),
    ).toEqual(refused.map(([name]) => name));
    expect(errors ?? []).toEqual(refused.map(([name, scope]) => forbidden(scope, ['shop', name])));
  });

  it('gets objects by their ids, each checked separately', async () => {
    const types = Object.keys(ids);
    const { status, data, errors } = await askGraphql<{ nodes: unknown[] }>(
      service.origin,
      keys[key],
      'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename ... on Product { variants { product { id } } } } }',
      { ids: Object.values(ids) },
    );
    expect(status).toBe(200);
    expect(data.nodes.map((node) => (node as { __typename: string } | null)?.__typename)).toEqual(
      types.map((type) => (carried.includes(scopeOfType[type] as Scope) ? type : undefined)),
    );
    expect(errors).toBeUndefined();
  });
});

describe('a missing scope', () => {
  it('is refused under an alias, in a fragment and by a variable alike, at the path in the response', async () => {
    const { data, errors } = await askGraphql(
      service.origin,
      keys['catalog:read'],
      `query ($yes: Boolean!) { ...F a: products { totalCount } }
       fragment F on Query { ... on Query @include(if: $yes) { b: orders { nodes { id } } } c: shop @skip(if: $yes) { id } }`,
      { yes: true },
    );
    expect(data).toEqual({ b: null, a: { totalCount: 1 } });
    expect(errors).toEqual([forbidden('orders:read', ['b'])]);
  });

  it('is reported before arguments are evaluated (D1)', async () => {
    const { errors } = await askGraphql(service.origin, keys['catalog:read'], '{ orders(first: 999) { totalCount } }');
    expect(errors).toEqual([forbidden('orders:read', ['orders'])]);
  });

  it('does not reveal what exists: the response is the one for an id that nothing has (D27)', async () => {
    const { sql } = service;
    const shopId = ids['Shop'] as string;
    const hidden = await seedProduct(sql, shopId, { deleted_at: new Date() });
    const foreign = await seedProduct(sql, await seedShop(sql));
    const every = [...Object.values(ids), hidden, foreign, ...Object.values(ids).map((id) => id.toUpperCase())];
    const typeOf = new Map(Object.entries(ids).map(([type, id]) => [id, type]));
    /** Every way in which an id leads to an object behind an interface. */
    const forms = [
      (id: string) => `{ node(id: "${id}") { __typename id } }`,
      (id: string) => `{ nodes(ids: ["${id}"]) { id } }`,
      (id: string) => `{ node(id: "${id}") { ... on Product { title variants { id } } ... on Order { orderNumber } } }`,
      (id: string) => `{ a: nodes(ids: ["${id}", "${id}"]) { ... on Shop { name } id } }`,
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(keys)),
        fc.constantFrom(...every),
        fc.constantFrom(...forms),
        fc.uuid(),
        async (key, id, form, unknown) => {
          const ask = (asked: string) => askGraphql(service.origin, keys[key], form(asked));
          const [got, none] = [await ask(id), await ask(unknown)];
          const scope = scopeOfType[typeOf.get(id.toLowerCase()) ?? ''];
          const mayRead = scope !== undefined && carriedBy(key).includes(scope);
          if (mayRead) expect(got.data).not.toEqual(none.data);
          else expect([got.status, got.data, got.errors]).toEqual([none.status, none.data, none.errors]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('leads to the same statements for an object that exists as for one that does not', async () => {
    const countStatements = async (): Promise<number> =>
      findValue(
        parseMetrics((await exchange(service.origin, '/metrics', {})).text),
        'database_statement_duration_seconds_count',
      ) ?? NaN;
    let asked = 0;
    const ask = (key: string, id: string) =>
      askGraphql(service.origin, keys[key], `{ fresh${(asked += 1)}: node(id: "${id}") { id } }`);
    for (const key of Object.keys(keys)) {
      await ask(key, randomUUID());
      for (const [type, id] of Object.entries(ids)) {
        // The caller knows that its shop exists, because its client id contains the shop's id.
        if (type === 'Shop' || carriedBy(key).includes(scopeOfType[type] as Scope)) continue;
        const counts = [];
        for (const each of [id, randomUUID()]) {
          const before = await countStatements();
          await ask(key, each);
          counts.push((await countStatements()) - before);
        }
        expect([key, type, counts[0]]).toEqual([key, type, counts[1]]);
      }
    }
  });

  it('leaves introspection and __typename alone', async () => {
    const { data, errors } = await askGraphql(
      service.origin,
      keys['orders:read'],
      '{ __typename __type(name: "Shop") { name } }',
    );
    expect({ data, errors }).toEqual({ data: { __typename: 'Query', __type: { name: 'Shop' } }, errors: undefined });
  });
});
