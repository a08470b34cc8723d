import { parse, validate } from 'graphql';
import type { FederatedServer } from './support/federated-server';
import { intervalMilliseconds, startFederatedServer, timeoutMilliseconds } from './support/federated-server';
import type { ReviewsProcess } from './support/reviews-process';
import { startReviews } from './support/reviews-process';

/** A server in this process and the reviews subgraph in another one, over HTTP. */
let reviews: ReviewsProcess;
let server: FederatedServer;
let accept: (schema: Parameters<typeof validate>[0]) => void = () => undefined;

beforeAll(async () => {
  reviews = await startReviews();
  server = await startFederatedServer(reviews.url, (schema) => accept(schema));
});
afterEach(() => reviews.control({ behaviour: 'normal' }));
afterAll(async () => {
  await server.stop();
  await reviews.stop();
});

/** Lets the next poll happen, and waits until it has said what came of it. */
async function poll(outcome: RegExp): Promise<string> {
  const line = server.log.next(outcome);
  server.timer.fire(intervalMilliseconds);
  const said = await line;
  while (!server.timer.pending().includes(intervalMilliseconds)) await new Promise((resolve) => setImmediate(resolve));
  return said;
}

const nodeId = (text: string) => Buffer.from(text).toString('base64url');

describe('the reviews subgraph', () => {
  it('adds to the products of the catalog', async () => {
    expect(
      await server.query('{ products { title averageRating reviews(first: 1) { body product { vendor } } } }'),
    ).toEqual({
      data: {
        products: [
          {
            title: 'Teapot',
            averageRating: 3,
            reviews: [{ body: expect.any(String) as string, product: { vendor: 'Acme' } }],
          },
          {
            title: 'Cup',
            averageRating: expect.any(Number) as number,
            reviews: [{ body: expect.any(String) as string, product: { vendor: null } }],
          },
        ],
      },
    });
  });

  it('gets the fields that its @requires lists', async () => {
    expect(await server.query('{ product(id: "p1") { headline } }')).toEqual({
      data: { product: { headline: 'Teapot by Acme: 3 of 5 stars' } },
    });
  });

  it('accepts mutations, and what they wrote is read through the graph', async () => {
    const mutation =
      'mutation ($id: ID!) { addReview(productId: $id, rating: 5, body: "Lovely") { id rating product { title } } }';
    const added = await server.query(mutation, { id: 'p2' });

    expect(added).toMatchObject({ data: { addReview: { rating: 5, product: { title: 'Cup' } } } });
    expect(await server.query('{ latestReviews(first: 1) { body product { title } } }')).toEqual({
      data: { latestReviews: [{ body: 'Lovely', product: { title: 'Cup' } }] },
    });
  });

  it('is reached by node(id) and nodes(ids), like the catalog', async () => {
    const query = `query ($review: ID!, $ids: [ID!]!) {
      product: node(id: "p1") { __typename id ... on Product { title averageRating } }
      review: node(id: $review) { __typename id ... on Review { rating product { title } } }
      nothing: node(id: "nobody") { id }
      nodes(ids: $ids) { __typename ... on Product { title } ... on Review { rating } }
    }`;
    const review = nodeId('Review:p1:0');

    expect(await server.query(query, { review, ids: [review, nodeId('Order:1'), 'p2'] })).toEqual({
      data: {
        product: { __typename: 'Product', id: 'p1', title: 'Teapot', averageRating: 3 },
        review: { __typename: 'Review', id: review, rating: 3, product: { title: 'Teapot' } },
        nothing: null,
        nodes: [{ __typename: 'Review', rating: 3 }, null, { __typename: 'Product', title: 'Cup' }],
      },
    });
  });

  it('fails in its own fields only, and is identified', async () => {
    expect(await server.query('{ brokenReviews { id } product(id: "p1") { title } }')).toMatchObject({
      data: { brokenReviews: null, product: { title: 'Teapot' } },
      errors: [{ path: ['brokenReviews'], extensions: { service: 'reviews' } }],
    });
  });
});

describe('while the reviews subgraph is unavailable', () => {
  const query = '{ products { title averageRating reviews { body } } }';
  const rest = {
    products: [
      { title: 'Teapot', averageRating: null, reviews: null },
      { title: 'Cup', averageRating: null, reviews: null },
    ],
  };

  it('its fields are null with an error that identifies it, and the rest is served', async () => {
    await reviews.control({ behaviour: 'down' });

    expect(await server.query(query)).toEqual({
      data: rest,
      errors: [
        {
          message: 'The subgraph "reviews" did not answer.',
          path: ['products'],
          extensions: { code: 'SUBREQUEST_HTTP_ERROR', service: 'reviews' },
        },
      ],
    });
  });

  it('slow answers are not waited for beyond the time limit', async () => {
    await reviews.control({ behaviour: 'silent' });
    const answer = server.query(query);
    while (!server.timer.pending().includes(timeoutMilliseconds)) await new Promise((resolve) => setImmediate(resolve));
    server.timer.fire(timeoutMilliseconds);

    expect(await answer).toMatchObject({ data: rest, errors: [{ extensions: { code: 'GATEWAY_TIMEOUT' } }] });
  });

  it('operations without its fields are unaffected', async () => {
    await reviews.control({ behaviour: 'down' });

    expect(await server.query('{ product(id: "p1") { title } }')).toEqual({ data: { product: { title: 'Teapot' } } });
  });

  it('a poll keeps its fields in the graph', async () => {
    await reviews.control({ behaviour: 'down' });
    expect(await poll(/reviews: HTTP 503/)).toContain('its last SDL stays in use');

    await reviews.control({ behaviour: 'normal' });
    expect(await server.query('{ product(id: "p1") { averageRating } }')).toEqual({
      data: { product: { averageRating: 3 } },
    });
    await poll(/answers again/);
  });
});

describe('a reload of the reviews subgraph', () => {
  it('adds a new field, while operations on the previous graph continue', async () => {
    expect(await server.query('{ product(id: "p1") { stars } }')).toMatchObject({
      errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
    });
    const before = server.gateway.current;
    await reviews.control({ sdl: 'extended' });
    await poll(/supergraph of/);

    expect(await server.query('{ product(id: "p1") { stars } }')).toEqual({ data: { product: { stars: 3 } } });
    const document = parse('{ product(id: "p1") { averageRating } }');
    const old = await before?.execute({ document, context: { headers: {} } });
    expect(JSON.stringify(old)).toBe('{"data":{"product":{"averageRating":3}}}');
  });

  it('with a broken SDL keeps the last good graph', async () => {
    await reviews.control({ sdl: 'conflicting' });
    expect(await poll(/refused/)).toContain('Nowhere');

    expect(await server.query('{ product(id: "p1") { stars } }')).toEqual({ data: { product: { stars: 3 } } });
  });

  it('is refused when the server cannot accept what clients would see', async () => {
    accept = (schema) => {
      const errors = validate(schema, parse('{ product(id: "p1") { stars } }'));
      if (errors.length > 0) throw new Error('an operation of ours no longer validates');
    };
    await reviews.control({ sdl: 'normal' });
    expect(await poll(/refused/)).toContain('an operation of ours no longer validates');

    expect(server.gateway.current?.supergraphSdl).toContain('stars');
  });
});
