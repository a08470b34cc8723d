import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askGraphql } from '../support/graphql-client';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedShop } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

const trusted = 'query Name { shop { name } }';
const documentId = `sha256:${createHash('sha256').update(trusted).digest('hex')}`;

let directory: string;
let service: Service;
let apiKey: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trusted-documents-'));
  const file = join(directory, 'manifest.json');
  await writeFile(file, JSON.stringify({ [documentId.slice('sha256:'.length)]: trusted }));
  service = await startService({ settings: { TRUSTED_DOCUMENTS_FILE: file } });
  ({ apiKey } = await seedApiKey(service.sql, await seedShop(service.sql, { name: 'Hearth' })));
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true });
});

const headers = () => ({ Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' });

describe('a service that runs trusted documents only', () => {
  it('runs one that is named by its identifier in the query string', async () => {
    const target = `/graphql?documentId=${encodeURIComponent(documentId)}`;
    const answer = await exchange(service.origin, target, { headers: headers() });
    expect([answer.status, answer.body]).toEqual([200, { data: { shop: { name: 'Hearth' } } }]);
  });

  it('refuses other documents, unknown identifiers, and still requires a credential first (D2, D26)', async () => {
    const other = await askGraphql(service.origin, apiKey, '{ shop { id } }');
    expect([other.status, other.errors?.[0]?.extensions['code']]).toEqual([400, 'PERSISTED_QUERY_ID_REQUIRED']);
    const body = JSON.stringify({ documentId: `sha256:${'0'.repeat(64)}` });
    const unknown = await exchange(service.origin, '/graphql', { method: 'POST', headers: headers(), body });
    expect([unknown.status, unknown.body]).toMatchObject([
      400,
      { errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] },
    ]);
    expect((await askGraphql(service.origin, undefined, trusted)).status).toBe(401);
  });

  it('leaves REST as it is', async () => {
    expect(await service.client(apiKey).get('/shop')).toMatchObject({ status: 200 });
  });
});
