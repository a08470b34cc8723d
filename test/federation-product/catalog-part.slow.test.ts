import { createCatalogSubgraph } from '../../src/federation/catalog/catalog-subgraph';
import { checkSupergraph } from '../../src/federation/catalog/check-supergraph';
import { composedNodes, nodeTypesOf } from '../../src/federation/catalog/composed-nodes';
import { composeSubgraphs } from '../../src/federation/supergraph/compose-subgraphs';
import { parse } from 'graphql';
import { operations, readOperationDocument } from '../../rest/operations';
import { createReviewsSubgraph } from '../federation/reviews/reviews-subgraph';

const catalogSdl = createCatalogSubgraph().sdl;
const documents = Object.fromEntries(
  operations.map(({ operationId }) => [operationId, readOperationDocument(operationId)]),
);
const link = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@shareable", "@external",
  "@requires", "@provides", "@override", "@inaccessible", "@interfaceObject", "@tag", "@requiresScopes", "@authenticated", "@policy"])`;

/**
 * Composes the catalog with another subgraph as the service does. @returns why the graph is refused; undefined when it
 * is taken
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
  it.each([
    ['take a field over', 'type Product @key(fields: "id") { id: ID! title: String! @override(from: "catalog") }'],
    [
      'take a part of a field over',
      'type Product @key(fields: "id") { id: ID! title: String! @override(from: "catalog", label: "percent(1)") }',
    ],
    [
      'take a root field over',
      'type Query { shop: Shop @override(from: "catalog") } type Shop @key(fields: "id") { id: ID! }',
    ],
    ['take node over', 'interface Node { id: ID! } type Query { node(id: ID!): Node @override(from: "catalog") }'],
    ['take a key over', 'type Product @key(fields: "id") { id: ID! @override(from: "catalog") }'],
    [
      'take a shared field over',
      'type PageInfo { hasNextPage: Boolean! @override(from: "catalog") @shareable hasPreviousPage: Boolean! @shareable startCursor: String @shareable endCursor: String @shareable }',
    ],
    ['answer a field besides', 'type Product @key(fields: "id") { id: ID! title: String! @shareable }'],
    ['have a field of the catalog in its key', 'type Product @key(fields: "id title") { id: ID! title: String! }'],
    [
      'have an external field of the catalog in its key',
      'type Product @key(fields: "id") @key(fields: "handle") { id: ID! handle: String @external rating: Int }',
    ],
    [
      'provide a field',
      'type Product @key(fields: "id") { id: ID! title: String! @external } type Query { best: Product @provides(fields: "title") }',
    ],
    [
      'provide a field further down',
      'type Product @key(fields: "id") { id: ID! title: String! @external } type Box { product: Product } type Query { box: Box @provides(fields: "product { title }") }',
    ],
    ['redefine a root field', 'type Query { products: Int @shareable }'],
    ['redefine a root field alike', 'type Query { shop: Shop @shareable } type Shop @key(fields: "id") { id: ID! }'],
    ['hide a type', 'type Order @key(fields: "id") @inaccessible { id: ID! a: Int }'],
    ['hide a field', 'type Order @key(fields: "id") { id: ID! @inaccessible a: Int }'],
    ['hide a scalar', 'scalar Decimal @inaccessible type Query { price: Decimal }'],
    ['hide an enum', 'enum ProductStatus @inaccessible { ACTIVE DRAFT ARCHIVED } type Query { a: Int }'],
    [
      'hide a value',
      'enum ProductStatus { ACTIVE @inaccessible DRAFT ARCHIVED } type Query { a(s: ProductStatus): Int }',
    ],
    [
      'hide an input',
      'input LongRange @inaccessible { min: Long max: Long } scalar Long type Query { a(r: LongRange): Int }',
    ],
    ['hide Node', 'interface Node @inaccessible { id: ID! } type Query { a: Int }'],
    [
      'demand scopes of a type',
      'type Product @key(fields: "id") @requiresScopes(scopes: [["reviews"]]) { id: ID! a: Int }',
    ],
    [
      'demand scopes of a key',
      'type Product @key(fields: "id") { id: ID! @requiresScopes(scopes: [["reviews"]]) a: Int }',
    ],
    ['demand a credential of a scalar', 'scalar Decimal @authenticated type Query { price: Decimal }'],
    [
      'demand a policy of an enum',
      'enum Plan @policy(policies: [["p"]]) { free starter pro business } type Query { plan: Plan }',
    ],
    [
      'demand scopes under another name',
      'extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", { name: "@requiresScopes", as: "@rs" }]) type Product @key(fields: "id") @rs(scopes: [["x"]]) { id: ID! a: Int }',
    ],
    [
      'add values to an enum that is answered',
      'enum Plan { free starter pro business enterprise } type Query { plan: Plan }',
    ],
    [
      'add values to an enum that is both',
      'enum ProductStatus { ACTIVE DRAFT ARCHIVED GONE } type Query { s: ProductStatus }',
    ],
    [
      'take values from an enum of an argument',
      'enum ProductSortKey { TITLE } type Query { a(k: ProductSortKey): Int }',
    ],
    ['take members from an input', 'input LongRange { min: Long } scalar Long type Query { a(r: LongRange): Int }'],
    [
      'make a member of an input necessary',
      'input LongRange { min: Long! max: Long } scalar Long type Query { a(r: LongRange): Int }',
    ],
    [
      'loosen a shared type',
      'type PageInfo @shareable { hasNextPage: Boolean hasPreviousPage: Boolean! startCursor: String endCursor: String } type Query { pages: PageInfo }',
    ],
    [
      'change a shared type',
      'type PageInfo @shareable { hasNextPage: Int! hasPreviousPage: Boolean! startCursor: String endCursor: String } type Query { pages: PageInfo }',
    ],
    ['loosen the key', 'type Product @key(fields: "id") { id: ID a: Int }'],
    ['make a type another kind', 'interface Product { id: ID! } type Query { a: Product }'],
    ['be the whole of Node', 'type Node @key(fields: "id") @interfaceObject { id: ID! title: String }'],
    [
      'give Node a field',
      'interface Node { id: ID! extra: String } type Thing implements Node @key(fields: "id") { id: ID! extra: String } type Query { thing: Thing }',
    ],
    ['add an argument', 'type Query { shop(x: Int): Shop @shareable } type Shop @key(fields: "id") { id: ID! }'],
    [
      'extend the input of a filter',
      'extend input ProductFilter { secret: String } type Query { a(f: ProductFilter): Int }',
    ],
  ])('%s', (_, sdl) => {
    expect(refusal(sdl)).toEqual(expect.any(String));
  });

  it('gets an error that says what is wrong', () => {
    expect(
      refusal(
        'type Product @key(fields: "id") { id: ID! title: String! @override(from: "catalog") minPrice: Decimal @override(from: "catalog") } scalar Decimal',
      ),
    ).toBe(
      "the catalog's part of the graph would change: Product.title would be answered by OTHER; Product.title would be taken from the catalog; " +
        'Product.minPrice would be answered by OTHER; Product.minPrice would be taken from the catalog',
    );
  });
});
