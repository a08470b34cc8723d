import { composeSubgraphs } from '../../src/federation/supergraph/compose-subgraphs';
import { cutWaiting, whileLocked } from '../support/locked-table';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { startService, useService } from '../support/service';

const secret = 'a secret between a router and this service';

let shopId: string;
let apiKey: string;

const service = useService({ settings: { SUBGRAPH_SECRET: secret }, rateLimit: 1000 });
beforeAll(async () => {
  shopId = await seedShop(service.sql);
  ({ apiKey } = await seedApiKey(service.sql, shopId));
});

interface Ask {
  readonly credential?: string | undefined;
  readonly routerSecret?: string | undefined;
  readonly variables?: Record<string, unknown>;
}

async function ask(query: string, { credential, routerSecret = secret, variables }: Ask = {}) {
  const { status, headers, body } = await exchange(service.origin, '/subgraph', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(routerSecret === '' ? {} : { 'Router-Authorization': routerSecret }),
      ...(credential === undefined ? {} : { Authorization: `Bearer ${credential}` }),
    },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = body as {
    data?: Record<string, unknown>;
    errors?: { message: string; path?: unknown[]; extensions: Record<string, unknown> }[];
  };
  return { status, headers, data, errors };
}

const entities = `query ($representations: [_Any!]!) { _entities(representations: $representations) {
  __typename ... on Product { id title variants { title } } ... on Variant { id product { title } }
  ... on Collection { id title } ... on Order { id orderNumber } ... on Shop { id name } } }`;

const askEntities = (representations: unknown[], credential = apiKey) =>
  ask(entities, { credential, variables: { representations } });

describe('/subgraph without its secret', () => {
  it('does not exist unless SUBGRAPH_SECRET is set', async () => {
    const closed = await startService();
    const { status } = await exchange(closed.origin, '/subgraph', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ query: '{ _service { sdl } }' }),
    });
    await closed.close();

    expect(status).toBe(404);
  });

  it.each([
    ['missing', '', () => apiKey],
    ['in another place', '', () => secret],
    ['wrong', 'a secret between a router and that service', () => apiKey],
    ['a part of it', secret.slice(0, -1), () => apiKey],
  ])('is 401 when the secret is %s, for every caller', async (_, routerSecret, credential) => {
    const { status, headers, errors } = await ask('{ _service { sdl } }', { routerSecret, credential: credential() });

    expect(status).toBe(401);
    expect(headers['www-authenticate']).toMatch(/^Router-Authorization /);
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHORIZED' } }]);
  });
});

describe('/subgraph with its secret', () => {
  it('serves its SDL without a client credential, and the SDL composes', async () => {
    const { status, data } = await ask('{ _service { sdl } }');
    const { sdl } = data?.['_service'] as { sdl: string };

    expect(status).toBe(200);
    expect(() => composeSubgraphs([{ name: 'catalog', url: 'http://catalog.test/subgraph', sdl }])).not.toThrow();
  });

  it.each([
    '{ shop { name } }',
    '{ _service { sdl } shop { name } }',
    '{ __schema { types { name } } }',
    'no document',
  ])('requires a client credential as /graphql does: %s is 401 without one', async (query) => {
    expect((await ask(query)).status).toBe(401);
  });

  it('answers root fields as /graphql does', async () => {
    expect((await ask('{ shop { id } __typename }', { credential: apiKey })).data).toEqual({
      shop: { id: shopId },
      __typename: 'Query',
    });
  });
});

describe('_entities', () => {
  it('finds objects of every type, in the requested order, null for missing ones', async () => {
    const product = await seedProduct(service.sql, shopId, { title: 'Teapot' });
    const variant = await seedVariant(service.sql, shopId, product, { title: 'Blue' });
    const collection = await seedCollection(service.sql, shopId, { title: 'Tea' });
    const order = await seedOrder(service.sql, shopId, { order_number: '#7' });
    const { data, errors } = await askEntities([
      { __typename: 'Order', id: order },
      { __typename: 'Product', id: product.toUpperCase() },
      { __typename: 'Product', id: order },
      { __typename: 'Variant', id: variant },
      { __typename: 'Shop', id: shopId },
      { __typename: 'Collection', id: collection },
      { __typename: 'Product', id: 7 },
    ]);

    expect(errors).toBeUndefined();
    expect(data).toEqual({
      _entities: [
        { __typename: 'Order', id: order, orderNumber: '#7' },
        { __typename: 'Product', id: product, title: 'Teapot', variants: [{ title: 'Blue' }] },
        null,
        { __typename: 'Variant', id: variant, product: { title: 'Teapot' } },
        { __typename: 'Shop', id: shopId, name: 'Hearth & Bean' },
        { __typename: 'Collection', id: collection, title: 'Tea' },
        null,
      ],
    });
  });

  it('uses nothing of a representation but its id', async () => {
    const product = await seedProduct(service.sql, shopId, { title: 'Teapot' });
    const { data } = await askEntities([{ __typename: 'Product', id: product, title: 'Forged', shopId: 'x' }]);

    expect(data).toMatchObject({ _entities: [{ title: 'Teapot' }] });
  });

  it('refuses what the credential lacks the scope for, entity by entity', async () => {
    const { apiKey: credential } = await seedApiKey(service.sql, shopId, { scopes: ['catalog:read'] });
    const product = await seedProduct(service.sql, shopId, { title: 'Cup' });
    const order = await seedOrder(service.sql, shopId);
    const { data, errors } = await askEntities(
      [
        { __typename: 'Order', id: order },
        { __typename: 'Product', id: product },
        { __typename: 'Order', id: product },
        { __typename: 'Order', id: 'x' },
        { __typename: 'Order' },
        { __typename: 'Shop', id: shopId },
      ],
      credential,
    );

    expect(data).toMatchObject({ _entities: [null, { title: 'Cup' }, null, null, null, null] });
    // The same for an order that exists and for one that does not.
    expect(errors).toMatchObject(
      [0, 2, 3, 4, 5].map((index) => ({ path: ['_entities', index], extensions: { code: 'FORBIDDEN' } })),
    );
  });

  it('is 503 when an outage leaves no entity to return, so that a router can retry', async () => {
    const products = [await seedProduct(service.sql, shopId), await seedProduct(service.sql, shopId)];
    const { status, data, errors, headers } = await whileLocked(service.database, 'products', async () => {
      const answer = askEntities(products.map((id) => ({ __typename: 'Product', id })));
      await cutWaiting(service.database);
      return answer;
    });

    expect({ status, data, retryAfter: headers['retry-after'] }).toEqual({
      status: 503,
      data: undefined,
      retryAfter: '1',
    });
    expect(errors?.map(({ extensions }) => extensions)).toEqual([{ code: 'SERVICE_UNAVAILABLE' }]);
  });

  it("answers a bad representation with an error of its own, as the caller's mistake", async () => {
    const product = await seedProduct(service.sql, shopId, { title: 'Cup' });
    const { data, errors } = await askEntities([
      { id: product },
      { __typename: 'Nowhere', id: product },
      { __typename: 'Product', id: product },
    ]);

    expect(data).toMatchObject({ _entities: [null, null, { title: 'Cup' }] });
    expect(errors?.map(({ path, extensions }) => [path, extensions['code']])).toEqual([
      [['_entities', 0], 'BAD_USER_INPUT'],
      [['_entities', 1], 'BAD_USER_INPUT'],
    ]);
  });

  it('accepts as many representations as a page of a router has', async () => {
    const product = await seedProduct(service.sql, shopId, { title: 'Cup' });
    const { data, errors } = await ask(
      'query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename } }',
      {
        credential: apiKey,
        variables: { representations: Array.from({ length: 2000 }, () => ({ __typename: 'Product', id: product })) },
      },
    );

    expect(errors).toBeUndefined();
    expect(data?.['_entities']).toHaveLength(2000);
  });
});
