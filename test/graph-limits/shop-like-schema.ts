import { buildSchema } from 'graphql';

/**
 * Structured like ours, but independent: connections, a list without pages, objects that refer back to each other, a
 * lookup by ids.
 */
export const shopLikeSchema = buildSchema(/* GraphQL */ `
  interface Node {
    id: ID!
  }
  type PageInfo {
    hasNextPage: Boolean!
    endCursor: String
  }
  type Product implements Node {
    id: ID!
    title: String!
    tags: [String!]!
    variants: [Variant!]!
    related(first: Int = 5): [Product!]!
    reviews(first: Int, last: Int): ReviewConnection
  }
  type Variant implements Node {
    id: ID!
    price: String
    product: Product
  }
  type Review implements Node {
    id: ID!
    text: String
    product: Product
  }
  type ReviewEdge {
    cursor: String!
    node: Review!
  }
  type ReviewConnection {
    edges: [ReviewEdge!]!
    nodes: [Review!]!
    pageInfo: PageInfo!
    totalCount: Int!
  }
  type ProductEdge {
    cursor: String!
    node: Product!
  }
  type ProductConnection {
    edges: [ProductEdge!]!
    nodes: [Product!]!
    pageInfo: PageInfo!
    totalCount: Int!
  }
  input ProductFilter {
    and: [ProductFilter!]
    vendor: String
  }
  type Query {
    product(id: ID!): Product
    products(first: Int, after: String, last: Int, before: String, filter: ProductFilter): ProductConnection
    node(id: ID!): Node
    nodes(ids: [ID!]!): [Node]!
  }
`);
