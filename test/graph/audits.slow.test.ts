import type { Audit } from 'graphql-http';
import { serverAudits } from 'graphql-http';
import { seedApiKey, seedShop } from '../support/seed';
import { useService } from '../support/service';

let apiKey: string;
const service = useService({ rateLimit: 1000 });
beforeAll(async () => {
  ({ apiKey } = await seedApiKey(service.sql, await seedShop(service.sql)));
});

/** Like every client of the service, sends the credential with each request. */
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
