import type { Audit } from 'graphql-http';
import { serverAudits } from 'graphql-http';
import { seedApiKey, seedShop } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

let service: Service;
let apiKey: string;
beforeAll(async () => {
  service = await startService({ rateLimit: 1000 });
  ({ apiKey } = await seedApiKey(service.sql, await seedShop(service.sql)));
});
afterAll(() => service.close());

/** As every client of the service must: the credential is sent with each request. */
const fetchWithCredential: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers);
  headers.set('Authorization', `Bearer ${apiKey}`);
  return fetch(url, { ...init, headers });
};

const audits: readonly Audit[] = serverAudits({
  url: () => `${service.origin}/graphql`,
  fetchFn: fetchWithCredential,
});

describe('GraphQL over HTTP, by the audits of graphql-http', () => {
  it('has audits to pass', () => expect(audits.length).toBeGreaterThan(50));

  it.each(audits.map((audit) => [`${audit.id} ${audit.name}`, audit] as const))('%s', async (_, audit) => {
    const result = await audit.fn();
    const found = { status: result.status, reason: result.status === 'ok' ? '' : result.reason };
    expect(found).toEqual({ status: 'ok', reason: '' });
  });
});
