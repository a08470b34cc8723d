import { createCatalogSubgraph } from '../../src/federation/catalog/catalog-subgraph';
import { checkSupergraph } from '../../src/federation/catalog/check-supergraph';
import { composedNodes, nodeTypesOf } from '../../src/federation/catalog/composed-nodes';
import { composeSubgraphs } from '../../src/federation/supergraph/compose-subgraphs';
import { parse } from 'graphql';
import { operations, readOperationDocument } from '../../rest/operations';
import { createReviewsSubgraph } from '../federation/reviews/reviews-subgraph';
import { readRows } from '../support/read-rows';

const catalogSdl = createCatalogSubgraph().sdl;
const documents = Object.fromEntries(
  operations.map(({ operationId }) => [operationId, readOperationDocument(operationId)]),
);
const link = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@shareable", "@external",
  "@requires", "@provides", "@override", "@inaccessible", "@interfaceObject", "@tag", "@requiresScopes", "@authenticated", "@policy"])`;

/**
 * Composes the catalog with another subgraph as the service does. @returns why the graph is refused; undefined when it
 * is accepted
 */
function refusal(sdl: string, { isComposedHere = true } = {}): string | undefined {
  const subgraphs = [
    { name: 'catalog', url: 'local://catalog', sdl: catalogSdl },
    { name: 'other', url: 'http://other.test', sdl: sdl.includes('@link') ? sdl : `${link} ${sdl}` },
  ];
  try {
    const bounded = subgraphs.map(({ name, sdl: text }) => ({ name, nodeTypes: nodeTypesOf(parse(text)) }));
    const nodes = isComposedHere ? composedNodes(bounded) : [];
    checkSupergraph(parse(composeSubgraphs([...subgraphs, ...nodes])), { catalogSdl, documents }, isComposedHere);
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

describe('another subgraph may', () => {
  it.each([
    ['be the reviews of the README', createReviewsSubgraph().sdl],
    ['add a field to a product', 'type Product @key(fields: "id") { id: ID! rating: Float }'],
    [
      'refer to products that it does not resolve',
      'type Product @key(fields: "id", resolvable: false) { id: ID! } type Query { best: Product }',
    ],
    ['have root fields and types', 'type Query { best: Best } type Best { a: Int }'],
    [
      'have nodes',
      'interface Node { id: ID! } type Thing implements Node @key(fields: "id") { id: ID! a: Int } type Query { thing: Thing }',
    ],
    [
      'have pages',
      'type PageInfo @shareable { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String } type Query { pages: PageInfo }',
    ],
    ['use the scalars', 'scalar Decimal scalar DateTime type Query { price: Decimal at: DateTime }'],
    ['use an enum whole', 'enum ProductStatus { ACTIVE DRAFT ARCHIVED } type Query { status: ProductStatus }'],
    [
      'require a field, under its scope',
      'type Product @key(fields: "id") { id: ID! title: String! @external shout: String @requires(fields: "title") @requiresScopes(scopes: [["catalog:read"]]) }',
    ],
    [
      'know products by a key of its own besides',
      'type Product @key(fields: "id") @key(fields: "code") { id: ID! code: String! }',
    ],
    [
      'make a catalog type one of its own interfaces',
      'interface Rated { rating: Float } type Product implements Rated @key(fields: "id") { id: ID! rating: Float }',
    ],
    ['tag', 'type Product @key(fields: "id") @tag(name: "shop") { id: ID! rating: Float @tag(name: "x") }'],
    [
      'import under other names',
      'extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", as: "fed", import: [{ name: "@key", as: "@pk" }]) type Product @pk(fields: "id") { id: ID! rating: Float }',
    ],
    ['rename its root type', `${link} extend schema { query: Root } type Root { best: Int }`],
    [
      'guard its own fields',
      'type Product @key(fields: "id") { id: ID! margin: Float @requiresScopes(scopes: [["finance"]]) secret: Int @authenticated never: Int @policy(policies: [["p"]]) }',
    ],
  ])('%s', (_, sdl) => {
    expect(refusal(sdl)).toBeUndefined();
    expect(refusal(sdl, { isComposedHere: false })).toBeUndefined();
  });
});

describe('another subgraph may not', () => {
  it.each(readRows<[what: string, sdl: string]>(__dirname, 'forbidden-parts.json'))('%s', (_, sdl) => {
    expect(refusal(sdl)).toEqual(expect.any(String));
  });

  it('gets an error that says what is wrong', () => {
    expect(
      refusal(
        'type Product @key(fields: "id") { id: ID! title: String! @override(from: "catalog") minPrice: Decimal @override(from: "catalog") } scalar Decimal',
      ),
    ).toBe(
      "the catalog's part of the graph would change: Product.title would be resolved by OTHER; Product.title would no longer be resolved by the catalog; " +
        'Product.minPrice would be resolved by OTHER; Product.minPrice would no longer be resolved by the catalog',
    );
  });
});
