import { randomUUID } from 'node:crypto';
import type { ReviewsProcess } from '../federation/support/reviews-process';
import { startReviews } from '../federation/support/reviews-process';
import { json, startStubServer } from '../federation/support/stub-server';
import { seedApiKey, seedOrder } from '../support/seed';
import type { FederatedService, SeededShop } from './support/federated-service';
import { seedTeaShop, startFederatedService, timeoutMilliseconds, turn } from './support/federated-service';

/** The whole service, and the reviews subgraph as another team's process. */
let reviews: ReviewsProcess;
let service: FederatedService;
let shop: SeededShop;
let teapot: string;
let cup: string;

beforeAll(async () => {
  reviews = await startReviews();
  service = await startFederatedService({ SUBGRAPHS: `reviews=${reviews.url}` });
  shop = await seedTeaShop(service);
  [teapot, cup] = shop.products;
});
afterEach(() => reviews.control({ behavior: 'normal' }));
afterAll(async () => {
  await service.close();
  await reviews.stop();
});

const ask = (query: string, variables?: Record<string, unknown>) => service.ask(shop.apiKey, query, variables);
const keyWith = async (...scopes: string[]) => (await seedApiKey(service.sql, shop.shopId, { scopes })).apiKey;
const number = expect.any(Number) as number;
const text = expect.any(String) as string;
const globalId = (value: string) => Buffer.from(value).toString('base64url');

/** All five operations through REST. */
async function askRest() {
  const client = service.client(shop.apiKey);
  const answers = await Promise.all(
    ['/shop', '/products', `/products/${teapot}`, '/collections', '/orders'].map((path) => client.get(path)),
  );
  return answers.map(({ status }) => status);
}

describe('a graph of the catalog and another subgraph', () => {
  it('runs each request again, because what other subgraphs have may change at any time', async () => {
    const query = '{ products { nodes { averageRating } } }';
    for (let round = 0; round < 4; round += 1) expect((await ask(query)).errors).toBeUndefined();
    await reviews.control({ behavior: 'down' });
    expect((await ask(query)).errors).toHaveLength(1);
  });

  it('joins at any depth, whatever the aliases of keys and required fields', async () => {
    const { data, errors } = await ask(
      'query ($id: ID!) { product(id: $id) { reviews { product { headline id: title vendor: handle } } } }',
      { id: teapot },
    );

    expect(errors).toBeUndefined();
    const products = ((data as Record<string, unknown>)['product'] as { reviews: { product: unknown }[] }).reviews.map(
      ({ product }) => product,
    );
    expect(products.length).toBeGreaterThan(0);
    for (const product of products) {
      expect(product).toEqual({
        headline: expect.stringMatching(/^Teapot by Acme: /) as string,
        id: 'Teapot',
        vendor: expect.anything() as string,
      });
    }
  });

  it('responds with 400 if no plan is found, and logs why', async () => {
    const stub = await startStubServer();
    const sdl = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@external", "@requires", "@requiresScopes"])
      type Product @key(fields: "id") { id: ID! variantConnection(first: Int, after: String, last: Int, before: String): VariantConnection! @external
        sizes: Int @requires(fields: "variantConnection(first: 1) { totalCount }") @requiresScopes(scopes: [["catalog:read"]]) alike: [Pair!] }
      scalar Long
      type VariantConnection { totalCount: Long! @external }
      type Pair { product: Product }`;
    stub.answer = (response) => json(response, { data: { _service: { sdl } } });
    const other = await startFederatedService({ SUBGRAPHS: `sizes=${stub.url}` });
    const { apiKey } = await seedTeaShop(other);
    const {
      status,
      data,
      errors,
      text: answer,
    } = await other.ask(apiKey, '{ products { nodes { alike { product { sizes } } } } }');

    expect({ status, data }).toEqual({ status: 400, data: undefined });
    expect(errors).toEqual([
      {
        message: expect.stringMatching(/^No query plan was found .*Split it into several operations/) as string,
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
    expect(answer).not.toMatch(/planner|fetch graph/);
    expect(JSON.stringify(other.log)).toContain('failed to build fetch graph');
    await other.close();
    await stub.close();
  });

  it('forwards mutations, and completes what they return with the catalog', async () => {
    const { data } = await ask(
      'mutation ($id: ID!) { addReview(productId: $id, rating: 5, body: "Lovely") { rating product { title } } }',
      { id: cup },
    );

    expect(data).toEqual({ addReview: { rating: 5, product: { title: 'Cup' } } });
  });

  it('finds nodes of all subgraphs, null where there is none', async () => {
    const { data, errors } = await ask(
      `query ($teapot: ID!, $review: ID!, $all: [ID!]!) {
        product: node(id: $teapot) { __typename id ... on Product { title averageRating } }
        review: node(id: $review) { __typename ... on Review { rating product { title } } }
        nothing: node(id: "9f8e7d6c-0000-4000-8000-000000000000") { id }
        nodes(ids: $all) { __typename id }
      }`,
      { teapot, review: globalId(`Review:${teapot}:0`), all: [globalId(`Review:${cup}:0`), 'nobody', cup] },
    );

    expect(errors).toBeUndefined();
    expect(data).toEqual({
      product: { __typename: 'Product', id: teapot, title: 'Teapot', averageRating: number },
      review: { __typename: 'Review', rating: number, product: { title: 'Teapot' } },
      nothing: null,
      nodes: [{ __typename: 'Review', id: text }, null, { __typename: 'Product', id: cup }],
    });
  });

  it('shows the same catalog as without subgraphs: lists, cursors, counts, cost', async () => {
    const first = await ask('{ products(first: 1) { totalCount nodes { title } pageInfo { endCursor hasNextPage } } }');
    const { totalCount, pageInfo } = (
      first.data as { products: { totalCount: number; pageInfo: { endCursor: string; hasNextPage: boolean } } }
    ).products;
    const second = await service
      .client(shop.apiKey)
      .get(`/products?limit=1&cursor=${encodeURIComponent(pageInfo.endCursor)}`);

    expect({ totalCount, hasNextPage: pageInfo.hasNextPage }).toEqual({ totalCount: 2, hasNextPage: true });
    expect(second.body).toMatchObject({ data: [{ id: cup }] });
  });

  it('refuses a value that no scalar of the catalog has, in a document and in a variable, local or not', async () => {
    const inDocument = await ask('{ products(filter: { price: { min: "cheap" } }) { totalCount } }');
    const inVariable = 'query ($min: Decimal) { products(filter: { price: { min: $min } }) { nodes { title FIELD } } }';

    expect(inDocument.errors?.[0]?.extensions['code']).toBe('GRAPHQL_VALIDATION_FAILED');
    for (const field of ['vendor', 'averageRating']) {
      const { errors } = await ask(inVariable.replace('FIELD', field), { min: 'cheap' });
      expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['BAD_USER_INPUT']);
    }
  });

  it.each(['{ _service { sdl } }', '{ _entities(representations: []) { __typename } }'])(
    'has no %s for clients',
    async (query) => {
      expect((await ask(query)).errors?.[0]?.extensions['code']).toBe('GRAPHQL_VALIDATION_FAILED');
    },
  );

  it('counts an operation once against the limit, however many subgraphs it takes (D18)', async () => {
    const { apiKey } = await seedApiKey(service.sql, shop.shopId);
    const left = async () => {
      const { headers } = await service.ask(apiKey, '{ products { nodes { reviews { product { title } } } } }');
      return Number(headers['ratelimit-remaining']);
    };
    const before = await left();

    expect(before - (await left())).toBe(1);
  });
});

describe('scopes on the composed graph (D26)', () => {
  it('null a field of a product that another subgraph leads to, and leave its id', async () => {
    const { data, errors } = await service.ask(
      await keyWith('orders:read'),
      'query ($id: ID!) { node(id: $id) { ... on Review { rating product { id vendor } } } }',
      { id: globalId(`Review:${teapot}:0`) },
    );

    expect(data).toEqual({ node: { rating: number, product: { id: teapot, vendor: null } } });
    expect(errors).toMatchObject([{ path: ['node', 'product', 'vendor'], extensions: { code: 'FORBIDDEN' } }]);
  });

  it('null a field of the catalog and leave the rest, on the fast path too', async () => {
    await seedOrder(service.sql, shop.shopId);
    const { status, data, errors } = await service.ask(
      await keyWith('catalog:read'),
      '{ products(first: 1) { nodes { title } } orders { nodes { id } } }',
    );

    expect({ status, data }).toEqual({
      status: 200,
      data: { products: { nodes: [{ title: 'Teapot' }] }, orders: null },
    });
    // The same error message as without subgraphs.
    const message = 'Required scopes: orders:read. Granted scopes: catalog:read.';
    const locations = [{ line: 1, column: 42 }];
    expect(errors).toEqual([{ message, locations, path: ['orders'], extensions: { code: 'FORBIDDEN' } }]);
  });

  it('omit only a node of a type that the credential may not read, like one that does not exist', async () => {
    const order = await seedOrder(service.sql, shop.shopId);
    const { data, errors } = await service.ask(
      await keyWith('catalog:read'),
      'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }',
      { ids: [order, teapot, randomUUID()] },
    );

    expect({ data, errors }).toEqual({
      data: { nodes: [null, { __typename: 'Product', id: teapot }, null] },
      errors: undefined,
    });
  });
});

describe('while the other subgraph fails', () => {
  const query = '{ products(first: 1) { nodes { title averageRating } } }';

  it('its own errors are passed on with their message outside production, and identify it', async () => {
    const { data, errors } = await ask('{ brokenReviews { id } shop { name } }');

    expect(data).toMatchObject({ brokenReviews: null, shop: { name: text } });
    expect(errors).toMatchObject([
      {
        message: 'reviews: relation "reviews" does not exist',
        path: ['brokenReviews'],
        extensions: { code: 'DOWNSTREAM_SERVICE_ERROR', service: 'reviews' },
      },
    ]);
  });

  it('a slow one is waited for no longer than its time limit', async () => {
    await reviews.control({ behavior: 'silent' });
    const answer = ask(query);
    while (!service.timer.pending().includes(timeoutMilliseconds)) await turn();
    service.timer.fire(timeoutMilliseconds);

    expect(await answer).toMatchObject({
      status: 200,
      data: { products: { nodes: [{ title: 'Teapot', averageRating: null }] } },
      errors: [{ extensions: { code: 'GATEWAY_TIMEOUT', service: 'reviews' } }],
    });
  });

  it.each(['down', 'silent'] as const)('while it is %s, REST and the catalog are unaffected', async (behavior) => {
    await reviews.control({ behavior });

    expect(await askRest()).toEqual([200, 200, 200, 200, 200]);
    expect((await ask('{ products(first: 1) { nodes { title } } }')).data).toEqual({
      products: { nodes: [{ title: 'Teapot' }] },
    });
  });
});

describe('a reload', () => {
  it('adds a new field, and removes the old ones', async () => {
    expect((await ask('{ products { nodes { stars } } }')).errors?.[0]?.extensions['code']).toBe(
      'GRAPHQL_VALIDATION_FAILED',
    );
    await reviews.control({ sdl: 'extended' });
    await service.poll(/^composed the supergraph of catalog, reviews/);
    const { data } = await ask('{ products(first: 1) { nodes { stars } } }');

    expect(data).toEqual({ products: { nodes: [{ stars: number }] } });
  });

  it('of a subgraph that would break an operation of the REST API is refused, and the last good graph stays', async () => {
    await reviews.control({
      sdl: 'extended',
      addition: 'type VariantOption @shareable { name: String! value: String! @federation__inaccessible }',
    });

    expect(await service.poll(/rejected/)).toMatch(
      /operations of the REST API would break: getProduct: Cannot query field "value"/,
    );
    expect((await ask('{ products(first: 1) { nodes { stars } } }')).errors).toBeUndefined();
    expect(await askRest()).toEqual([200, 200, 200, 200, 200]);
  });
});
