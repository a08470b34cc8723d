import { startReviews } from '../federation/support/reviews-process';
import { seedTeaShop, startFederatedService } from '../federation-product/support/federated-service';
import { exchange } from '../support/rest-client';
import { findValue, parseMetrics } from './parse-metrics';

it('reports for each subgraph, by its name in the settings, the outcome of its requests and whether the last one succeeded', async () => {
  const reviews = await startReviews();
  const service = await startFederatedService({ SUBGRAPHS: `reviews=${reviews.url}` });
  const { apiKey } = await seedTeaShop(service);
  const ask = () => service.ask(apiKey, '{ products { nodes { averageRating } } }');
  const read = async () => parseMetrics((await exchange(service.origin, '/metrics', {})).text);
  const requests = async (outcome: string) =>
    findValue(await read(), 'subgraph_requests_total', { subgraph: 'reviews', outcome });
  const healthy = async () => findValue(await read(), 'subgraph_healthy', { subgraph: 'reviews' });
  try {
    await ask();
    expect([await requests('ok'), await healthy()]).toEqual([1, 1]);
    await reviews.stop();
    await ask();
    expect([await requests('ok'), await requests('failed'), await healthy()]).toEqual([1, 1, 0]);
  } finally {
    await service.close();
  }
});
