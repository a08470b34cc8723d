import type { Subgraph } from './build-subgraph';
import { buildSubgraph } from './build-subgraph';

const products = [
  { __typename: 'Product', id: 'p1', title: 'Teapot', vendor: 'Acme' },
  { __typename: 'Product', id: 'p2', title: 'Cup', vendor: null },
];
const find = (id: unknown) => products.find((product) => product.id === id) ?? null;

/** A small catalog, independent of the service's, to federate with the reviews subgraph. */
export const createCatalogSubgraph = (): Subgraph =>
  buildSubgraph({
    typeDefs: `
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
      interface Node { id: ID! }
      type Product implements Node @key(fields: "id") { id: ID! title: String! vendor: String }
      type Query { product(id: ID!): Product products: [Product!]! node(id: ID!): Node nodes(ids: [ID!]!): [Node]! }`,
    resolvers: {
      Node: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
      Query: {
        product: (_, { id }: { id: string }) => find(id),
        products: () => products,
        node: (_, { id }: { id: string }) => find(id),
        nodes: (_, { ids }: { ids: string[] }) => ids.map(find),
      },
    },
    references: { Product: ({ id }) => find(id) },
  });
