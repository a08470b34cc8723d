import type { TestSubgraphs } from './in-process-gateway';

interface ParcelsContext {
  /** Holds back the depot's response. */
  readonly loaded?: Promise<void>;
}

const route = { cost: () => 700 };

/**
 * A graph on which the native query planner panics: a field with an argument that requires another subgraph's field.
 */
export const parcelSubgraphs: TestSubgraphs = {
  depot: {
    typeDefs: `
      type Query { parcels: [Parcel!] }
      type Parcel @key(fields: "id") { id: ID! route: Route }
      type Route @shareable { cost(currency: String!): Int }`,
    resolvers: {
      Query: {
        parcels: async (_: unknown, __: unknown, context: ParcelsContext | undefined) => {
          await context?.loaded;
          return [{ id: 'p1', route }];
        },
      },
    },
    references: { Parcel: ({ id }) => ({ id, route }) },
  },
  insurance: {
    typeDefs: `
      type Parcel @key(fields: "id") {
        id: ID!
        route: Route @external
        isInsured: Boolean @requires(fields: "route { cost(currency: \\"EUR\\") }")
        policies: [Policy!]
      }
      type Route { cost(currency: String!): Int @external }
      type Policy { parcel: Parcel }`,
    references: { Parcel: ({ id }) => ({ id, isInsured: true, policies: [{ parcel: { id } }] }) },
  },
};

export const insuredQuery = '{ parcels { isInsured } }';
export const insured = { data: { parcels: [{ isInsured: true }] } };

/** A valid operation that ends the process that plans it. `name` makes variants. */
export const deadlyQuery = (name = 'yes'): string => `query ($${name}: Boolean! = true) {
  parcels @include(if: $${name}) {
    ... on Parcel @include(if: $${name}) { route { cost(currency: "USD") } }
    isInsured
  }
}`;
