import type { TestGateway } from './support/in-process-gateway';
import { createTestGateway, toJson } from './support/in-process-gateway';
import { readRows } from '../support/read-rows';

/** A small shop in four subgraphs. Each table below covers one feature of federation. */
const products = [
  { id: 'p1', handle: 'teapot', title: 'Teapot', weight: 900, status: 'ACTIVE', maker: { country: 'JP', code: 'm1' } },
  { id: 'p2', handle: 'cup', title: 'Cup', weight: null, status: 'SECRET', maker: { country: 'DE', code: 'm1' } },
];
const byReference = (reference: Readonly<Record<string, unknown>>) =>
  products.find(({ id, handle }) => id === reference['id'] || handle === reference['handle']) ?? null;

function createShop(): TestGateway {
  return createTestGateway({
    catalog: {
      typeDefs: `
        type Product @key(fields: "id") @key(fields: "handle") {
          id: ID! handle: String! title: String! weight: Int status: Status secretStatus: Status maker: Maker!
          tags: [String!]! oldName: String
        }
        type Maker @key(fields: "country { name } code") { country: Country! code: String! }
        type Country @shareable { name: String! }
        enum Status { ACTIVE ARCHIVED SECRET @inaccessible }
        type Page @shareable { number: Int! }
        type Query { product(id: ID!): Product products: [Product!]! page: Page @shareable search: [Found!]! media: Media }
        union Found = Product | Store
        type Store @key(fields: "id") { id: ID! city: String! }
        interface Media @key(fields: "id") { id: ID! }
        type Photo implements Media @key(fields: "id") { id: ID! width: Int! }
        type Film implements Media @key(fields: "id") { id: ID! minutes: Int! }
        type Mutation { rename(id: ID!, title: String!): Product }
      `,
      resolvers: {
        Query: {
          product: (_, { id }: { id: string }) => byReference({ id }),
          products: () => products,
          page: () => ({ number: 1 }),
          search: () => [products[0], { __typename: 'Store', id: 's1', city: 'Kyoto' }],
          media: () => ({ __typename: 'Photo', id: 'f1', width: 640 }),
        },
        Found: { __resolveType: (found: { __typename?: string }) => found.__typename ?? 'Product' },
        Media: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
        Product: {
          maker: ({ maker }: (typeof products)[0]) => ({ country: { name: maker.country }, code: maker.code }),
          tags: () => ['a', 'b'],
          secretStatus: () => 'SECRET',
          oldName: () => 'from catalog',
        },
        Mutation: { rename: (_, { id, title }: { id: string; title: string }) => ({ ...byReference({ id }), title }) },
      },
      references: {
        Product: byReference,
        Maker: (reference) => reference,
        Photo: (reference) => ({ ...reference, width: 640 }),
      },
    },
    reviews: {
      typeDefs: `
        type Product @key(fields: "id") {
          id: ID! weight: Int @external title: String! @external
          rating: Float reviews(first: Int = 2, stars: Stars): [Review!]! oldName: String @override(from: "catalog")
          shipping: Int @requires(fields: "weight") label: String @requires(fields: "title weight")
        }
        enum Stars { ONE FIVE }
        type Review @key(fields: "id") { id: ID! text: String! author: Author product: Product! }
        type Author @key(fields: "name") { name: String! email: String @external }
        type Page @shareable { number: Int! }
        type Media @key(fields: "id") @interfaceObject { id: ID! likes: Int! }
        type Query { reviews: [Review!]! featured: Author @provides(fields: "email") page: Page @shareable topMedia: Media }
        type Mutation { review(product: ID!, text: String!): Review fail: Review }
      `,
      resolvers: {
        Query: {
          reviews: () => [{ id: 'r1', text: 'fine', product: { id: 'p1' }, author: { name: 'Ann' } }],
          featured: () => ({ name: 'Ann', email: 'shown by reviews' }),
          page: () => ({ number: 1 }),
          topMedia: () => ({ id: 'f1' }),
        },
        Product: {
          rating: ({ id }: { id: string }) => (id === 'p1' ? 4.5 : null),
          reviews: ({ id }: { id: string }, { first, stars }: { first: number; stars?: string }) =>
            ['good', 'better', 'best'].slice(0, first).map((text) => ({
              id: `${id}-${text}`,
              text: stars === undefined ? text : `${text} ${stars}`,
              product: { id },
              author: { name: 'Ann' },
            })),
          shipping: ({ weight }: { weight: number | null }) => (weight === null ? null : weight / 100),
          label: ({ title, weight }: { title: string; weight: number | null }) => `${title} of ${weight} g`,
          oldName: () => 'from reviews',
        },
        Media: { likes: ({ id }: { id: string }) => id.length },
        Mutation: {
          review: (_, { product, text }: { product: string; text: string }) => ({
            id: 'new',
            text,
            product: { id: product },
          }),
          fail: () => {
            throw new Error('not today');
          },
        },
      },
      references: {
        Product: (reference) => reference,
        Author: ({ name }) => ({ name }),
        Media: (reference) => reference,
      },
    },
    makers: {
      typeDefs: `
        type Maker @key(fields: "country { name } code") { country: Country! @shareable code: String! @shareable name: String! }
        type Country @shareable { name: String! }
        type Product @key(fields: "handle") { handle: String! warranty: Int! }
        type Query { makers: [Maker!]! }
      `,
      resolvers: {
        Query: { makers: () => [] },
        Maker: {
          name: ({ code, country }: { code: string; country: { name: string } }) => `${code} of ${country.name}`,
        },
        Product: { warranty: ({ handle }: { handle: string }) => handle.length },
      },
      references: { Maker: (reference) => reference, Product: (reference) => reference },
    },
    costs: {
      typeDefs: `
        type Product @key(fields: "id") { id: ID! shipping: Int @external total: Int @requires(fields: "shipping") }
        type Author @key(fields: "name") { name: String! email: String @shareable }
        type Query { cost: Int }
      `,
      resolvers: {
        Product: { total: ({ shipping }: { shipping: number | null }) => (shipping === null ? null : shipping + 1) },
        Author: { email: () => 'asked of costs' },
      },
      references: { Product: (reference) => reference, Author: (reference) => reference },
    },
  });
}

const shop = createShop();

interface Case {
  readonly feature: string;
  readonly query: string;
  readonly variables?: Record<string, unknown>;
  readonly data: unknown;
}

const cases = readRows<Case>(__dirname, 'joins.json');

describe('a composed graph serves', () => {
  test.each(cases)('$feature', async ({ query, variables = {}, data }) => {
    const result = toJson(await shop.run(query, { variables }));

    expect(result).toEqual({ data });
    expect(JSON.stringify(result)).toBe(JSON.stringify({ data }));
  });

  it('an alias that is called __proto__, without touching any prototype', async () => {
    const result = await shop.run('{ __proto__: product(id: "p1") { rating __proto__: title } }');

    expect(JSON.stringify(result)).toBe('{"data":{"__proto__":{"rating":4.5,"__proto__":"Teapot"}}}');
    expect(({} as Record<string, unknown>)['rating']).toBeUndefined();
  });

  it('the operation that is named, of several', async () => {
    const query = 'query A { page { number } } query B { product(id: "p1") { rating } }';

    expect(toJson(await shop.run(query, { operationName: 'B' }))).toEqual({ data: { product: { rating: 4.5 } } });
  });

  it('introspection without the types of federation', async () => {
    const { data } = await shop.run(
      '{ __schema { types { name } queryType { fields { name } } directives { name } } }',
    );

    const text = JSON.stringify(data);
    expect(text).toContain('"Product"');
    expect(text).not.toMatch(/join__|link__|_Entity|_service|_entities|SECRET|requiresScopes/);
  });
});

describe('a composed graph sends requests', () => {
  it('once for the same entity in several places', async () => {
    const gateway = createShop();
    await gateway.run('{ a: product(id: "p1") { rating } b: product(id: "p1") { rating } }');

    const asked = gateway.calls.filter(({ subgraph }) => subgraph === 'reviews');
    expect(asked).toHaveLength(1);
  });

  it('once for all entities of a list', async () => {
    const gateway = createShop();
    await gateway.run('{ products { rating shipping } }');

    expect(gateway.calls.map(({ subgraph }) => subgraph)).toEqual(['catalog', 'reviews']);
    expect(gateway.calls[1]?.variables).toEqual({
      representations: [
        { __typename: 'Product', id: 'p1', weight: 900 },
        { __typename: 'Product', id: 'p2', weight: null },
      ],
    });
  });

  it.each([
    [
      'to no subgraph for what @include leaves out',
      'query ($no: Boolean = false) { products { title rating @include(if: $no) } }',
      ['catalog'],
    ],
    [
      'for mutations sequentially',
      'mutation { a: review(product: "p1", text: "1") { id } rename(id: "p1", title: "x") { id } }',
      ['reviews', 'catalog'],
    ],
  ])('%s', async (_, query, subgraphs) => {
    const gateway = createShop();
    await gateway.run(query);

    expect(gateway.calls.map(({ subgraph }) => subgraph)).toEqual(subgraphs);
  });

  it.each(['include', 'skip'])('to no subgraph when a null decides @%s', async (directive) => {
    const gateway = createShop();
    const { errors } = await gateway.run(
      `query ($null: Boolean = true) { products { title rating @${directive}(if: $null) } }`,
      { variables: { null: null } },
    );

    expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['BAD_USER_INPUT']);
    expect(gateway.calls).toEqual([]);
  });

  it('for no overridden field to its former subgraph', async () => {
    const gateway = createShop();
    await gateway.run('{ product(id: "p1") { oldName } }');

    expect(gateway.calls[0]?.query).not.toContain('oldName');
  });

  it('to no subgraph when a variable has the wrong type, and reports which', async () => {
    const gateway = createShop();
    const result = await gateway.run('query ($first: Int!) { product(id: "p1") { reviews(first: $first) { text } } }', {
      variables: { first: 'two' },
    });

    expect(result.errors?.[0]?.message).toContain('Variable "$first" got invalid value "two"');
    expect(gateway.calls).toEqual([]);
  });
});

it('a progressive @override applies to its share of the requests, also of identical ones', async () => {
  const draws = [0.29, 0.31, 0.1, 0.9];
  const { run } = createTestGateway(
    {
      before: {
        typeDefs: 'type Query { thing: Thing } type Thing @key(fields: "id") { id: ID! size: Int }',
        resolvers: { Query: { thing: () => ({ id: 1, size: 1 }) } },
      },
      after: {
        typeDefs: `type Thing @key(fields: "id") { id: ID! size: Int @override(from: "before", label: "percent(30)") }`,
        references: { Thing: ({ id }) => ({ id, size: 2 }) },
      },
    },
    { random: () => draws.shift() ?? 0 },
  );
  const answers: unknown[] = [];
  for (let request = 0; request < 4; request += 1) answers.push(toJson(await run('{ thing { size } }')));

  expect(answers).toEqual([2, 1, 2, 1].map((size) => ({ data: { thing: { size } } })));
});
