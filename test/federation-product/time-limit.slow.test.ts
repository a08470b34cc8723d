import type { ReviewsProcess } from '../federation/support/reviews-process';
import { startReviews } from '../federation/support/reviews-process';
import { untilWaiting, whileLocked } from '../support/locked-table';
import type { FederatedService, SeededShop } from './support/federated-service';
import { seedTeaShop, startFederatedService } from './support/federated-service';

/**
 * No subgraph reaches its own time limit, because the test stops that clock: whatever ends here ends with the
 * operation.
 */
let reviews: ReviewsProcess;
let service: FederatedService;
let shop: SeededShop;

beforeAll(async () => {
  reviews = await startReviews();
  service = await startFederatedService({
    SUBGRAPHS: `reviews=${reviews.url}`,
    REQUEST_TIMEOUT_MS: '600',
    SUBGRAPH_TIMEOUT_MS: '1400',
  });
  shop = await seedTeaShop(service);
});
afterEach(() => reviews.control({ behavior: 'normal' }));
afterAll(async () => {
  await service.close();
  await reviews.stop();
});

const ask = (query: string) => service.ask(shop.apiKey, query);

const unavailable = { code: 'SERVICE_UNAVAILABLE' };

describe('an operation over several subgraphs that takes too long', () => {
  it('returns partial data; fields of another subgraph are null, with an error that identifies it', async () => {
    await reviews.control({ behavior: 'silent' });
    const { status, data, errors } = await ask('{ products { nodes { title averageRating } } }');

    expect({ status, data }).toEqual({
      status: 200,
      data: {
        products: {
          nodes: [
            { title: 'Teapot', averageRating: null },
            { title: 'Cup', averageRating: null },
          ],
        },
      },
    });
    expect(errors).toMatchObject([{ extensions: { code: 'GATEWAY_TIMEOUT', service: 'reviews' } }]);
  });

  it('returns partial data; the statements of the catalog are canceled', async () => {
    await whileLocked(service.database, 'products', async () => {
      const { status, data, errors } = await ask('{ latestReviews { rating } products { nodes { title } } }');

      expect({ status, data }).toEqual({
        status: 200,
        data: { latestReviews: expect.any(Array) as unknown, products: null },
      });
      expect(errors).toMatchObject([{ path: ['products'], extensions: unavailable }]);
      await untilWaiting(service.database, 0);
    });
  });

  it.each(['{ products { nodes { title } } }', '{ products { nodes { title averageRating } } }'])(
    '%s is 503 without any data',
    async (query) => {
      const { status, data, errors, headers } = await whileLocked(service.database, 'products', () => ask(query));

      expect({ status, data, codes: errors?.map(({ extensions }) => extensions) }).toEqual({
        status: 503,
        data: undefined,
        codes: [unavailable],
      });
      expect(headers['retry-after']).toBe('1');
    },
  );

  it('is 503 as soon as any other request when not even the key can be read', async () => {
    const { status, errors } = await whileLocked(service.database, 'api_keys', () => ask('{ shop { name } }'));

    expect({ status, codes: errors?.map(({ extensions }) => extensions) }).toEqual({
      status: 503,
      codes: [unavailable],
    });
  });
});
