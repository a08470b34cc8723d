import { parse, print } from 'graphql';
import { createDocumentAuthorizer } from '../../src/federation/gateway/authorize-document';
import type { Caller } from '../../src/federation/supergraph/scope-requirements';
import { readScopeRequirements } from '../../src/federation/supergraph/scope-requirements';
import type { TestSubgraphs } from './support/in-process-gateway';
import { createTestGateway, toJson } from './support/in-process-gateway';

const subgraphs: TestSubgraphs = {
  catalog: {
    typeDefs: `
      interface Node { id: ID! }
      type Product implements Node @key(fields: "id") {
        id: ID! title: String!
        cost: Int @requiresScopes(scopes: [["costs", "catalog"], ["admin"]])
        supplier: String! @authenticated
        audit: String @policy(policies: [["auditor"]])
      }
      type Order implements Node @key(fields: "id") { id: ID! total: Int! @requiresScopes(scopes: [["orders"]]) }
      type Secret @requiresScopes(scopes: [["secrets"]]) { text: String }
      interface Priced { price: Int }
      type Cheap implements Priced { price: Int }
      type Dear implements Priced { price: Int @requiresScopes(scopes: [["dear"]]) }
      type Query {
        product: Product products: [Product!]! order: Order secret: Secret priced: Priced
        orders: [Order!] @requiresScopes(scopes: [["orders"]])
      }
      type Mutation { rename: Product @requiresScopes(scopes: [["write"]]) }
    `,
    resolvers: {
      Node: { __resolveType: () => 'Product' },
      Priced: { __resolveType: () => 'Cheap' },
      Query: {
        product: () => ({ id: 'p1', title: 'Teapot', cost: 5, supplier: 'Ann', audit: 'x' }),
        products: () => ['p1', 'p2'].map((id) => ({ id, title: id, cost: 5, supplier: 'Ann' })),
        order: () => ({ id: 'o1', total: 3 }),
        orders: () => [{ id: 'o1', total: 3 }],
        secret: () => ({ text: 'psst' }),
        priced: () => ({ price: 1 }),
      },
      Mutation: { rename: () => ({ id: 'p1', title: 'new' }) },
    },
    references: { Product: (reference) => reference },
  },
  reviews: {
    typeDefs: `
      type Product @key(fields: "id") { id: ID! drafts: [String!] @requiresScopes(scopes: [["reviews"]]) rating: Int }
      type Query { latest: Product }
    `,
    resolvers: { Query: { latest: () => ({ id: 'p1' }) }, Product: { drafts: () => ['draft'], rating: () => 4 } },
    references: { Product: (reference) => reference },
  },
};

const callerOf = (context: unknown): Caller => context as Caller;
const caller = (...scopes: string[]): Caller => ({ isAuthenticated: true, scopes: new Set(scopes) });
const anonymous: Caller = { isAuthenticated: false, scopes: new Set() };
const planned = createTestGateway(subgraphs, { callerOf });
const withLocal = createTestGateway(subgraphs, { callerOf, local: 'catalog' });

interface Case {
  readonly name: string;
  readonly query: string;
  readonly who: Caller;
  readonly data: unknown;
  readonly forbidden: readonly (readonly (string | number)[])[];
}

const cases: readonly Case[] = [
  {
    name: 'a missing scope nulls its field and leaves the rest',
    query: '{ product { title cost } }',
    who: caller(),
    data: { product: { title: 'Teapot', cost: null } },
    forbidden: [['product', 'cost']],
  },
  {
    name: 'half of the scopes of an inner list is not enough',
    query: '{ product { cost } }',
    who: caller('costs'),
    data: { product: { cost: null } },
    forbidden: [['product', 'cost']],
  },
  {
    name: 'all scopes of an inner list are enough',
    query: '{ product { cost } }',
    who: caller('costs', 'catalog'),
    data: { product: { cost: 5 } },
    forbidden: [],
  },
  {
    name: 'one of the outer list is enough',
    query: '{ product { cost } }',
    who: caller('admin'),
    data: { product: { cost: 5 } },
    forbidden: [],
  },
  {
    name: 'each place of a forbidden field has its error, under its alias',
    query: '{ products { c: cost } }',
    who: caller(),
    data: { products: [{ c: null }, { c: null }] },
    forbidden: [
      ['products', 0, 'c'],
      ['products', 1, 'c'],
    ],
  },
  {
    name: 'a forbidden root field is null, and what is below it is not looked at',
    query: '{ orders { total } product { title } }',
    who: caller(),
    data: { orders: null, product: { title: 'Teapot' } },
    forbidden: [['orders']],
  },
  {
    name: 'a non-null field takes its object along',
    query: '{ order { id total } product { title } }',
    who: caller(),
    data: { order: null, product: { title: 'Teapot' } },
    forbidden: [['order', 'total']],
  },
  {
    name: '@authenticated requires a credential',
    query: '{ product { supplier } }',
    who: anonymous,
    data: { product: null },
    forbidden: [['product', 'supplier']],
  },
  {
    name: 'any credential is enough for @authenticated',
    query: '{ product { supplier } }',
    who: caller(),
    data: { product: { supplier: 'Ann' } },
    forbidden: [],
  },
  {
    name: 'no caller passes a @policy',
    query: '{ product { audit } }',
    who: caller('admin'),
    data: { product: { audit: null } },
    forbidden: [['product', 'audit']],
  },
  {
    name: 'a scope on a type guards the fields that lead to it',
    query: '{ secret { text } }',
    who: caller(),
    data: { secret: null },
    forbidden: [['secret']],
  },
  {
    name: 'a field of an interface is refused when an implementation would refuse it',
    query: '{ priced { __typename price } }',
    who: caller(),
    data: { priced: { __typename: 'Cheap', price: null } },
    forbidden: [['priced', 'price']],
  },
  {
    name: 'fields inside fragments are guarded',
    query: '{ product { ...F ... { ... on Product { cost } } } } fragment F on Product { x: cost title }',
    who: caller(),
    data: { product: { x: null, title: 'Teapot', cost: null } },
    forbidden: [
      ['product', 'x'],
      ['product', 'cost'],
    ],
  },
  {
    name: 'mutations are guarded',
    query: 'mutation { rename { title } }',
    who: caller(),
    data: { rename: null },
    forbidden: [['rename']],
  },
  {
    name: 'fields of other subgraphs are guarded',
    query: '{ product { title drafts rating } }',
    who: caller(),
    data: { product: { title: 'Teapot', drafts: null, rating: 4 } },
    forbidden: [['product', 'drafts']],
  },
  {
    name: 'what is skipped is not refused',
    query: '{ product { title cost @skip(if: true) } }',
    who: caller(),
    data: { product: { title: 'Teapot' } },
    forbidden: [],
  },
];

describe.each([
  ['planned', planned],
  ['on the fast path where it can', withLocal],
])('scopes on a composed graph, %s', (_, gateway) => {
  test.each(cases)('$name', async ({ query, who, data, forbidden }) => {
    const result = await gateway.run(query, { context: who });

    expect(toJson({ data: result.data ?? null })).toEqual({ data });
    expect((result.errors ?? []).map(({ path, extensions }) => ({ path, code: extensions['code'] }))).toEqual(
      forbidden.map((path) => ({ path, code: 'FORBIDDEN' })),
    );
  });

  it('no subgraph receives a request for what the caller may not see', async () => {
    gateway.calls.length = 0;
    await gateway.run('{ product { title cost drafts } secret { text } }', { context: caller() });

    expect(gateway.calls.map(({ query }) => query).join()).not.toMatch(/cost|drafts|secret/);
  });
});

describe('createDocumentAuthorizer', () => {
  const requirements = readScopeRequirements(parse(planned.gateway.supergraphSdl));
  const authorizer = createDocumentAuthorizer(planned.gateway.schema, requirements);
  const authorize = (query: string, who: Caller) => authorizer(parse(query), who);

  it('returns the very same document when nothing is refused', () => {
    const document = parse('{ product { title } }');

    expect(authorizer(document, caller()).document).toBe(document);
  });

  it('returns a valid document, whatever it removes', () => {
    const { document } = authorize('{ secret { text } ...F } fragment F on Query { orders { total } }', caller());

    expect(print(document).replaceAll(/\s+/g, ' ')).toBe('{ ...F } fragment F on Query { __typename }');
  });

  it('reports the scopes that are needed', () => {
    const { denied } = authorize('{ product { cost } }', caller());

    expect([...denied.values()]).toEqual([
      'This needs the scope costs and catalog, or admin; the credential carries none.',
    ]);
  });
});
