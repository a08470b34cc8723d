import type { ServerResponse } from 'node:http';
import type { ExecutionResult, GraphQLSchema, IntrospectionQuery } from 'graphql';
import { buildClientSchema, execute, getIntrospectionQuery, graphql, parse } from 'graphql';
import { createReviewsSubgraph } from '../federation/reviews/reviews-subgraph';
import { createRandom, mutateResponse, pick } from '../federation/support/mutations';
import type { StubServer } from '../federation/support/stub-server';
import { json, startStubServer } from '../federation/support/stub-server';
import { buildSubgraph } from '../federation/support/build-subgraph';
import { askGraphql } from '../support/graphql-client';
import type { Service } from '../support/service';
import { startService } from '../support/service';
import type { SeededShop } from './support/federated-service';
import { seedTeaShop } from './support/federated-service';
import { fc } from '../support/properties';
import { runSeed as seed } from '../support/run-seed';

/**
 * Mutants of each kind. `FUZZ_RUNS=5000 SEED=1 npx jest test/federation-product/hostile-subgraph` runs a longer search.
 */
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 120);

const moods = buildSubgraph({
  typeDefs: `
    extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key"])
    enum Mood { GOOD BAD }
    interface Note { text: String! }
    type Praise implements Note { text: String! points: Int! }
    type Blame implements Note { text: String! }
    union Thing = Product | Praise
    type Product @key(fields: "id") { id: ID! mood: Mood! marks: [[Float]] notes: [Note!] similar: [Product!] thing: Thing }
    type Query { moodOfTheDay: Mood favourite: Product things: [Thing!]! }`,
  resolvers: {
    Note: { __resolveType: ({ points }: { points?: number }) => (points === undefined ? 'Blame' : 'Praise') },
    Thing: { __resolveType: ({ points }: { points?: number }) => (points === undefined ? 'Product' : 'Praise') },
    Product: {
      mood: () => 'GOOD',
      marks: () => [[1, 2.5], null, []],
      notes: () => [{ text: 'fine', points: 3 }, { text: 'late' }],
      similar: ({ id }: { id: string }) => [{ id }, { id }],
      thing: ({ id }: { id: string }) => ({ id }),
    },
    Query: {
      moodOfTheDay: () => 'BAD',
      favourite: () => ({ id: shop.products[0] }),
      things: () => [{ id: shop.products[1] }, { text: 'x', points: 1 }],
    },
  },
});
const reviewsSubgraph = createReviewsSubgraph();

const catalogFields = 'id title minPrice vendor';
const queries = [
  `{ products { nodes { ${catalogFields} averageRating mood notes { __typename text ... on Praise { points } } } } moodOfTheDay }`,
  `{ products { nodes { ${catalogFields} averageRating marks similar { title mood averageRating } } } }`,
  `{ products { nodes { ${catalogFields} averageRating thing { __typename ... on Product { title } ... on Praise { points } } } } favourite { title mood } }`,
  `{ products { nodes { ${catalogFields} averageRating } } things { ... on Product { vendor mood } ... on Praise { p: points } } moodOfTheDay }`,
];

let reviews: StubServer;
let evil: StubServer;
let service: Service;
let shop: SeededShop;
let schema: GraphQLSchema;
let restProducts: readonly Record<string, unknown>[];
/** What the hostile subgraph makes of a valid response. */
let spoil: (response: ServerResponse, right: unknown) => void = json;

async function serve({ schema: own, sdl }: typeof moods, answer: (response: ServerResponse, right: unknown) => void) {
  const server = await startStubServer();
  server.answer = (response, { body }) => {
    if (body.query.includes('_service')) return json(response, { data: { _service: { sdl } } });
    const variableValues = body.variables as Record<string, unknown>;
    void graphql({ schema: own, source: body.query, variableValues }).then((right) => answer(response, right));
  };
  return server;
}

beforeAll(async () => {
  reviews = await serve(reviewsSubgraph, json);
  evil = await serve(moods, (response, right) => spoil(response, JSON.parse(JSON.stringify(right))));
  service = await startService({
    rateLimit: 1_000_000,
    settings: { SUBGRAPHS: `reviews=${reviews.url},evil=${evil.url}` },
  });
  shop = await seedTeaShop(service);
  const introspected = await askGraphql(service.origin, shop.apiKey, getIntrospectionQuery());
  schema = buildClientSchema(introspected.data as IntrospectionQuery);
  restProducts = await readRest();
});
afterAll(async () => {
  await service.close();
  await Promise.all([reviews.close(), evil.close()]);
});

async function readRest() {
  const { status, body } = await service.client(shop.apiKey).get('/products');
  expect(status).toBe(200);
  return (body as { data: Record<string, unknown>[] }).data;
}

type Tree = Record<string, unknown>;

/**
 * Executes the document on the response itself with another executor: a value of the wrong type, or a null where none
 * is allowed, is an error.
 */
async function faultsOf(query: string, data: unknown): Promise<ExecutionResult> {
  return execute({
    schema,
    document: parse(query),
    rootValue: data,
    fieldResolver: (source: Tree, _, __, { path }) => source[path.key],
    typeResolver: (value: Tree) => value['__typename'] as string,
  });
}

/** Everything that must hold, whatever the hostile subgraph returns. */
async function check(query: string): Promise<void> {
  const withNames = query.replaceAll('thing {', 'thing { __typename').replaceAll('things {', 'things { __typename');
  const { status, headers, text } = await askGraphql(service.origin, shop.apiKey, withNames);
  const { data, errors = [] } = JSON.parse(text) as {
    data: { products: { nodes: Tree[] | null } | null } | null;
    errors?: { message: string; path?: unknown[]; extensions: Tree }[];
  };
  expect({ status, evil: headers['x-evil'] }).toEqual({ status: 200, evil: undefined });
  for (const { message, path, extensions } of errors) {
    if (/^More errors, not listed: \d+/.test(message)) continue;
    // An object unknown to the other subgraph leaves a null where none is allowed, and no subgraph has reported why.
    if (extensions['service'] === undefined) expect(path?.join('.')).toMatch(/mood$|(similar|favourite|thing).*title$/);
    else expect(extensions['service']).toBe('evil');
    expect(Object.keys(extensions).sort()).toEqual(
      extensions['service'] === undefined ? ['code'] : ['code', 'service'],
    );
  }
  expect(errors.length).toBeLessThanOrEqual(1001);
  if (data === null) return expect(errors).not.toEqual([]);
  const again = await faultsOf(withNames, data);
  expect({ data: JSON.parse(JSON.stringify(again.data)) as unknown, errors: again.errors }).toEqual({
    data,
    errors: undefined,
  });
  for (const [index, node] of (data.products?.nodes ?? []).entries()) {
    const { id, title, min_price: minPrice, vendor } = restProducts[index] ?? {};
    expect(node).toMatchObject({ id, title, minPrice, vendor, averageRating: expect.any(Number) as number });
  }
  // A product's mood is non-null, so a product without one nulls the list; nothing else does.
  if (!query.includes('mood notes')) expect(data.products?.nodes).toHaveLength(2);
}

describe('whatever a subgraph returns', () => {
  it(
    `the graph is right, and REST's (${numRuns} mutants from seed ${seed})`,
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer(), async (from) => {
          const random = createRandom(from);
          spoil = (response, right) => {
            if (random(12) === 0) return void response.writeHead(pick(random, [204, 304, 401, 418, 500, 200])).end();
            json(response, mutateResponse(right, random), pick(random, [200, 200, 200, 200, 400, 500]));
          };
          await check(pick(random, queries));
        }),
        { numRuns, seed },
      );
      spoil = json;
      expect(await readRest()).toEqual(restProducts);
      expect((await fetch(new URL('/livez', service.origin))).status).toBe(200);
    },
    60_000 + numRuns * 500,
  );
});
