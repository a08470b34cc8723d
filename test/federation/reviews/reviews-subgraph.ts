import { createHash } from 'node:crypto';
import type { Subgraph } from '../support/build-subgraph';
import { buildSubgraph } from '../support/build-subgraph';

/** A review as this subgraph stores it. */
interface Review {
  readonly id: string;
  readonly productId: string;
  readonly rating: number;
  readonly body: string;
}

interface ProductReference {
  readonly id: string;
  readonly title?: string;
  readonly vendor?: string | null;
}

const typeDefs = /* GraphQL */ `
  extend schema
    @link(
      url: "https://specs.apollo.dev/federation/v2.5"
      import: ["@key", "@external", "@requires", "@requiresScopes", "@shareable"]
    )

  "An object with a globally unique id."
  interface Node {
    id: ID!
  }

  "A product of the catalog, and what customers say of it."
  type Product @key(fields: "id") {
    id: ID!
    title: String! @external
    vendor: String @external
    "Newest first."
    reviews(first: Int = 3): [Review!]
    averageRating: Float
    """
    A line for the shop's window, made of what the catalog knows. It demands the scopes of the fields that it is made of, or it
    would tell them to those who may not see them; composition insists on that.
    """
    headline: String @requires(fields: "title vendor") @requiresScopes(scopes: [["catalog:read"]])
  }

  "What a customer says of a product."
  type Review implements Node @key(fields: "id") {
    id: ID!
    "1 to 5 stars."
    rating: Int!
    body: String!
    product: Product
  }

  type Query {
    "The newest reviews, of all products."
    latestReviews(first: Int = 5): [Review!]
    "Always fails, to show what a failure looks like."
    brokenReviews: [Review!]
  }

  type Mutation {
    addReview(productId: ID!, rating: Int!, body: String!): Review
  }
`;

/** A field that a later version of the subgraph may add. */
export const extraField = 'extend type Product { stars: Int }';

const samples = ['Better than expected.', 'Does what it says.', 'A gift that went down well.'];

/** Every product has a sample review, so that a demonstration needs no data. More can be added. */
function sampleReview(productId: string): Review {
  const seed = createHash('sha256').update(productId).digest();
  const body = samples[seed.readUInt8(1) % samples.length] ?? '';
  return { id: globalId(productId, 0), productId, rating: 3 + (seed.readUInt8(0) % 3), body };
}

const globalId = (productId: string, number: number): string =>
  Buffer.from(`Review:${productId}:${number}`).toString('base64url');

/** Reviews of products, by product id. Nothing else about products is stored. */
export function createReviewsSubgraph(extension = ''): Subgraph {
  const added: Review[] = [];
  const reviewsOf = (productId: string): readonly Review[] => [
    ...added.filter((review) => review.productId === productId).reverse(),
    sampleReview(productId),
  ];
  const average = (productId: string): number => {
    const ratings = reviewsOf(productId).map(({ rating }) => rating);
    return ratings.reduce((sum, rating) => sum + rating, 0) / ratings.length;
  };
  return buildSubgraph({
    typeDefs: `${typeDefs}\n${extension}`,
    resolvers: {
      Node: { __resolveType: () => 'Review' },
      Query: {
        latestReviews: (_, { first }: { first: number }) => [...added].reverse().slice(0, first),
        brokenReviews: () => {
          throw new Error('reviews: relation "reviews" does not exist');
        },
      },
      Mutation: {
        addReview: (_, review: Omit<Review, 'id'>) => {
          const saved = { ...review, id: globalId(review.productId, added.length + 1) };
          added.push(saved);
          return saved;
        },
      },
      Product: {
        reviews: ({ id }: ProductReference, { first }: { first: number }) => reviewsOf(id).slice(0, first),
        averageRating: ({ id }: ProductReference) => average(id),
        headline: ({ id, title, vendor }: ProductReference) =>
          `${title}${vendor == null ? '' : ` by ${vendor}`}: ${average(id)} of 5 stars`,
        ...(extension === extraField && { stars: ({ id }: ProductReference) => Math.round(average(id)) }),
      },
      Review: { product: ({ productId }: Review) => ({ id: productId }) },
    },
    references: {
      Product: (reference) => reference,
      Review: ({ id }) => {
        const [, productId = ''] = Buffer.from(String(id), 'base64url').toString().split(':');
        return reviewsOf(productId).find((review) => review.id === id) ?? null;
      },
    },
  });
}
