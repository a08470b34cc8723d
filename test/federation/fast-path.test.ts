import { parse } from 'graphql';
import { isLocalDocument, readLocalFields } from '../../src/federation/supergraph/local-fields';
import type { TestSubgraphs } from './support/in-process-gateway';
import { createTestGateway, toJson } from './support/in-process-gateway';

const subgraphs: TestSubgraphs = {
  catalog: {
    typeDefs: `
      type Product @key(fields: "id") {
        id: ID! title(upper: Boolean = false): String! moved: Int rating: Float @external stars: Int @requires(fields: "rating")
        kind: Kind shared: Int @shareable
      }
      interface Media @key(fields: "id") { id: ID! }
      type Photo implements Media @key(fields: "id") { id: ID! }
      enum Kind { A B @inaccessible }
      type Query { product: Product media: Media found: Found }
      union Found = Product | Hidden
      type Hidden @inaccessible { id: ID! }
      type Mutation { rename(title: String!): Product }
    `,
    resolvers: {
      Found: { __resolveType: () => 'Product' },
      Media: { __resolveType: () => 'Photo' },
      Query: { product: () => ({ id: '1', kind: 'B' }), media: () => ({ id: 'm' }), found: () => ({ id: '1' }) },
      Product: { title: (_, { upper }: { upper: boolean }) => (upper ? 'TEAPOT' : 'Teapot') },
      Mutation: { rename: (_, { title }: { title: string }) => ({ id: title }) },
    },
    references: { Product: (reference) => reference, Media: (reference) => reference },
  },
  reviews: {
    typeDefs: `
      type Product @key(fields: "id") { id: ID! rating: Float @shareable moved: Int @override(from: "catalog") shared: Int @shareable }
      type Media @key(fields: "id") @interfaceObject { id: ID! likes: Int }
      type Query { top: Product }
    `,
    resolvers: {
      Query: { top: () => ({ id: '1' }) },
      Product: { rating: () => 4, moved: () => 2 },
      Media: { likes: () => 1 },
    },
    references: { Product: (reference) => reference, Media: (reference) => reference },
  },
};

const gateway = createTestGateway(subgraphs, { local: 'catalog' });
const local = readLocalFields(parse(gateway.gateway.supergraphSdl), 'CATALOG');

test.each([
  ['{ product { id title } }', true],
  ['{ __typename product { __typename title(upper: true) } }', true],
  ['query ($u: Boolean) { product { ...F } } fragment F on Product { title(upper: $u) }', true],
  ['{ product { shared } }', true],
  ['{ media { id ... on Photo { id } } }', true],
  ['mutation { rename(title: "x") { title } }', true],
  ['{ product { rating } }', false],
  ['{ product { moved } }', false],
  ['{ product { stars } }', false],
  ['{ product { kind } }', false],
  ['{ found { __typename } }', false],
  ['{ media { likes } }', false],
  ['{ media { ... on Photo { likes } } }', false],
  ['{ product { ...F } } fragment F on Product { rating }', false],
  ['{ top { id } }', false],
  ['{ __schema { queryType { name } } }', false],
  ['query A { product { id } } query B { top { id } }', false],
])('%s is answered by the local subgraph alone: %s', (query, isLocal) => {
  expect(isLocalDocument(gateway.gateway.schema, parse(query), local)).toBe(isLocal);
});

describe('the fast path', () => {
  it('passes the operation on as the client sent it, once', async () => {
    gateway.calls.length = 0;
    const query = 'query ($u: Boolean) { product { title(upper: $u) } }';
    const result = await gateway.run(query, { variables: { u: true } });

    expect(toJson(result)).toEqual({ data: { product: { title: 'TEAPOT' } } });
    expect(gateway.calls).toEqual([{ subgraph: 'catalog', query, variables: { u: true } }]);
  });

  it('gives the same answers as a plan', async () => {
    const planned = createTestGateway(subgraphs);
    const query =
      '{ a: product { title ...F } media { __typename id } } fragment F on Product { x: title(upper: true) }';

    expect(toJson(await gateway.run(query))).toEqual(toJson(await planned.run(query)));
  });

  it('is not used where clients see less than the subgraph returns', async () => {
    expect(toJson(await gateway.run('{ product { kind } }'))).toEqual({ data: { product: { kind: null } } });
  });
});
