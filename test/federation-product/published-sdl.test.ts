import { parse } from 'graphql';
import { createCatalogSubgraph } from '../../src/federation/catalog/catalog-subgraph';
import { toPublishedSdl } from '../../src/federation/catalog/published-sdl';
import { readScopeRequirements } from '../../src/federation/supergraph/scope-requirements';
import { composeSubgraphs } from '../../src/federation/supergraph/compose-subgraphs';
import { readTypeDefinitions } from '../../src/graph/schema';
import { createReviewsSubgraph } from '../federation/reviews/reviews-subgraph';

const published = toPublishedSdl(readTypeDefinitions());

const compose = () =>
  composeSubgraphs([
    { name: 'catalog', url: 'local://catalog', sdl: published },
    { name: 'reviews', url: 'http://reviews.test', sdl: createReviewsSubgraph().sdl },
  ]);

describe('the catalog as a subgraph', () => {
  it.each(['Shop', 'Product', 'Variant', 'Collection', 'Order'])('has the entity %s, by its id', (type) => {
    expect(published).toMatch(new RegExp(`type ${type} implements Node @key\\(fields: "id"\\) \\{`));
  });

  it.each<[string, string[][] | undefined]>([
    // Node.id stays readable with the scope of any node type, and these lead to nothing protected.
    ...[
      'Node.id',
      'Shop.id',
      'Product.id',
      'Variant.id',
      'Collection.id',
      'Order.id',
      'Query.node',
      'Query.nodes',
      'PageInfo.endCursor',
    ].map((field): [string, undefined] => [field, undefined]),
    ['Query.shop', [['account:read']]],
    ['Query.products', [['catalog:read']]],
    ['Query.orders', [['orders:read']]],
    ['Product.title', [['catalog:read']]],
    ['Product.variants', [['catalog:read']]],
    ['ProductConnection.totalCount', [['catalog:read']]],
    ['ProductEdge.node', [['catalog:read']]],
    ['Order.customerName', [['orders:read']]],
    ['Shop.grantedScopes', [['account:read']]],
    ['Shop.products', [['account:read', 'catalog:read']]],
    ['Shop.orders', [['account:read', 'orders:read']]],
  ])('requires for %s the scopes that the guard below requires on the way to it', (field, scopes) => {
    expect(readScopeRequirements(parse(compose())).get(field)?.scopes).toEqual(scopes);
  });

  it('lets others define PageInfo as it does', () => {
    const sdl = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@shareable"])
      type PageInfo @shareable { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
      type Query { pages: PageInfo }`;

    expect(() =>
      composeSubgraphs([
        { name: 'catalog', url: 'local://catalog', sdl: published },
        { name: 'pages', url: 'http://pages.test', sdl },
      ]),
    ).not.toThrow();
  });

  it('publishes the descriptions', () => {
    expect(published).toContain('"Lowest variant price."');
    expect(published).not.toContain('directive @requiresScopes');
    expect(createCatalogSubgraph().sdl).toBe(published);
  });
});
