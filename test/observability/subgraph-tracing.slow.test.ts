import type { ReviewsProcess } from '../federation/support/reviews-process';
import { startReviews } from '../federation/support/reviews-process';
import type { FederatedService } from '../federation-product/support/federated-service';
import { seedTeaShop, startFederatedService, turn } from '../federation-product/support/federated-service';
import { registerRecordingTracer, statementsOn, unregisterTracer } from './recording-tracer';

const { spans } = registerRecordingTracer();
let reviews: ReviewsProcess;
let service: FederatedService;
beforeAll(async () => {
  reviews = await startReviews();
  service = await startFederatedService({ SUBGRAPHS: `reviews=${reviews.url}` });
});
afterAll(async () => {
  await service.close();
  await reviews.stop();
  unregisterTracer();
});

it('subgraph calls and statements are children of the span of their own request', async () => {
  const { apiKey } = await seedTeaShop(service);
  spans.length = 0;
  const ask = () => service.ask(apiKey, '{ products { nodes { averageRating } } }');
  await Promise.all([ask(), ask()]);
  const find = (wanted: string) => spans.filter(({ name }) => name === wanted);
  // A request ends when its response has been sent, a little after the client has it.
  while (find('POST graphql').length < 2) await turn();
  const requests = find('POST graphql').map(({ traceId, spanId }) => ({ traceId, parentId: spanId }));
  for (const caused of [find('subgraph reviews'), statementsOn(spans, 'products')]) {
    const found = caused.map(({ traceId, parentId }) => ({ traceId, parentId }));
    expect(found).toHaveLength(2);
    expect(found).toEqual(expect.arrayContaining(requests));
  }
});
