import type { Random } from '../../support/random';
import { createRandom } from '../../support/random';

/** The product that every heavy operation requests by id, and the size of the shop it is sent to. */
export interface HeavyTarget {
  readonly ids: readonly string[];
}

/** A GraphQL operation that the cost limits allow, but hardly more. */
export interface HeavyOperation {
  readonly kind: string;
  readonly document: string;
}

const aliases = (count: number, toField: (index: number) => string): string =>
  `{ ${Array.from({ length: count }, (_, index) => `f${index}: ${toField(index)}`).join(' ')} }`;

const productColumns =
  'id externalId title handle status vendor productType tags descriptionHtml seoTitle seoDescription imageUrl variantCount minPrice maxPrice totalStock publishedAt createdAt updatedAt';
const variantColumns = 'id externalId title sku barcode price weight position imageUrl createdAt';

/**
 * The worst that one operation may request, in one way each: rows, variants, searches that find nothing, counts,
 * look-ups, deep pages in an order without a visible bound. Random parts prevent answers from being cached.
 */
const kinds: Readonly<Record<string, (random: Random, target: HeavyTarget) => string>> = {
  rows: (random) => aliases(20, () => `products(first: ${random.integer(150, 200)}) { nodes { ${productColumns} } }`),
  edges: (random) =>
    aliases(
      20,
      () => `products(last: ${random.integer(150, 200)}) { edges { cursor node { ${productColumns} } } totalCount }`,
    ),
  variants: (random) =>
    aliases(4, () => `products(first: ${random.integer(180, 200)}) { nodes { id variants { ${variantColumns} } } }`),
  variantPages: (random) =>
    aliases(
      4,
      () =>
        `products(first: ${random.integer(110, 130)}) { edges { cursor node { title variantConnection(first: 5) { edges { cursor node { ${variantColumns} } } totalCount } } } }`,
    ),
  searches: (random) =>
    aliases(
      20,
      () =>
        `products(first: 200, sortKey: TITLE, filter: { query: "${random.word(1)}${random.word(2)}" }) { nodes { id title } totalCount }`,
    ),
  ranges: (random) =>
    aliases(
      20,
      () =>
        `products(last: 200, sortKey: STOCK, filter: { price: { min: "0.${random.integer(1, 999_999)}", max: "0.0" }, statusIn: [ACTIVE, DRAFT] }) { nodes { id } totalCount }`,
    ),
  counts: (random) =>
    aliases(
      20,
      () =>
        `products(first: 0, filter: { statusIn: [ACTIVE, DRAFT], totalStock: { min: -${random.integer(1, 1e9)} } }) { totalCount }`,
    ),
  unionOfTags: (random) =>
    aliases(
      20,
      () =>
        `products(first: 200, reverse: true, sortKey: UPDATED_AT, filter: { tagsAny: ["sale", "${random.word(5)}"] }) { nodes { id } totalCount pageInfo { hasNextPage hasPreviousPage } }`,
    ),
  nodes: (random, { ids }) =>
    aliases(
      10,
      () =>
        `nodes(ids: ${JSON.stringify(random.shuffled(ids).slice(0, 200))}) { id ... on Product { ${productColumns} } }`,
    ),
};

/** Heavy operations of every kind, in a random order determined by the seed. */
export function createHeavyOperations(target: HeavyTarget, count: number, seed: number): readonly HeavyOperation[] {
  const random = createRandom(seed);
  const names = Object.keys(kinds);
  return Array.from({ length: count }, () => {
    const kind = names[random.integer(0, names.length - 1)] as string;
    return { kind, document: (kinds[kind] as (typeof kinds)[string])(random, target) };
  });
}

export const heavyKinds = Object.keys(kinds);

export function createHeavyOperation(kind: string, target: HeavyTarget, seed: number): HeavyOperation {
  return { kind, document: (kinds[kind] as (typeof kinds)[string])(createRandom(seed), target) };
}
