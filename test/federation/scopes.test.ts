import { parse, print } from 'graphql';
import { createDocumentAuthorizer } from '../../src/federation/gateway/authorize-document';
import type { Caller } from '../../src/federation/supergraph/scope-requirements';
import { readScopeRequirements } from '../../src/federation/supergraph/scope-requirements';
import type { TestSubgraphs } from './support/in-process-gateway';
import { readRows } from '../support/read-rows';
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
        product: Product node: Node products: [Product!]! order: Order secret: Secret priced: Priced
        orders: [Order!] @requiresScopes(scopes: [["orders"]])
      }
      type Mutation { rename: Product @requiresScopes(scopes: [["write"]]) }
    `,
    resolvers: {
      Node: { __resolveType: () => 'Product' },
      Priced: { __resolveType: () => 'Cheap' },
      Query: {
        product: () => ({ id: 'p1', title: 'Teapot', cost: 5, supplier: 'Ann', audit: 'x' }),
        node: () => ({ id: 'p1', title: 'Teapot' }),
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
  /** The scopes of the caller; null without a credential. */
  readonly who: readonly string[] | null;
  readonly data: unknown;
  readonly forbidden: readonly (readonly (string | number)[])[];
}

const cases = readRows<Case>(__dirname, 'scopes.json');

describe.each([
  ['planned', planned],
  ['on the fast path where it can', withLocal],
])('scopes on a composed graph, %s', (_, gateway) => {
  test.each(cases)('$name', async ({ query, who, data, forbidden }) => {
    const result = await gateway.run(query, { context: who === null ? anonymous : caller(...who) });

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

    expect([...denied.values()]).toEqual(['Required scopes: costs and catalog, or admin. Granted scopes: none.']);
  });
});
