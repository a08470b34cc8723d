import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readViewDocument, views } from '../../src/http/endpoints/dashboard/views';
import { askGraphql } from '../support/graphql-client';
import { exchange } from '../support/rest-client';
import { seedApiKey } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';
import { seedFigures } from './seed-figures';

const room = join(__dirname, '../../src/http/endpoints/dashboard');
const range = { from: '2026-01-01T00:00:00.000Z', to: '2026-04-01T00:00:00.000Z' };

/** The most that each view requests. */
const variablesOf: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  figures: { interval: 'DAY', timeZone: 'Europe/Berlin', range, before: range },
  'orders-by-day': { interval: 'DAY', timeZone: 'Europe/Berlin', range },
  'best-sellers': { first: 200, sortKey: 'REVENUE', range },
  'orders-of-product': { skus: Array.from({ length: 50 }, (_, index) => `CUP-${index}-0`) },
  search: { text: 'Cup', skus: ['CUP-1-0'], orderNumbers: ['5001', '#5001'] },
  detail: { isProduct: true, id: '' },
};
const cases = views.map(({ id }) => [id, readViewDocument(id), variablesOf[id] ?? {}] as const);

let service: Service;
let directory: string;
let apiKey: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'catalog-dashboard-'));
  const file = join(directory, 'manifest.json');
  const known = 'query Name { shop { name } }';
  await writeFile(file, JSON.stringify({ [createHash('sha256').update(known).digest('hex')]: known }));
  // The strictest configuration: the service runs only trusted documents.
  service = await startService({ rateLimit: 1000, settings: { TRUSTED_DOCUMENTS_FILE: file } });
  ({ apiKey } = await seedApiKey(service.sql, await seedFigures(service.sql, Date.now())));
});
afterAll(async () => {
  await service.close();
  await rm(directory, { recursive: true });
});

it('has one operation and one script for each view, and no others', () => {
  const names = (folder: string, ending: string) =>
    readdirSync(join(room, folder)).filter((name) => name.endsWith(ending));
  const ids = views.map(({ id }) => id).toSorted();
  expect(names('operations', '.graphql').toSorted()).toEqual(ids.map((id) => `${id}.graphql`));
  expect(names('assets', '.js')).toEqual(expect.arrayContaining(ids.map((id) => `${id}.js`)));
});

describe.each(cases)('%s', (id, source, variables) => {
  it('runs within the limits, also where only trusted documents run', async () => {
    const { status, errors, data, extensions } = await askGraphql(service.origin, apiKey, source, variables, {
      'X-GraphQL-Cost': '1',
    });
    expect([status, errors]).toEqual([200, undefined]);
    expect(data).toBeDefined();
    const { requested, allowed } = extensions?.['cost'] as { requested: number; allowed: number };
    expect(requested).toBeLessThanOrEqual(allowed);
  });

  it('has no URL of its own', async () => {
    expect((await exchange(service.origin, `/dashboard/assets/${id}.graphql`, {})).status).toBe(404);
  });
});

it('runs its own documents by digest too, and nothing else', async () => {
  const [, source = ''] = cases[0] ?? [];
  const ask = async (text: string) => {
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ documentId: `sha256:${createHash('sha256').update(text).digest('hex')}` });
    return (await exchange(service.origin, '/graphql', { method: 'POST', headers, body })).status;
  };
  expect(await ask(source)).toBe(200);
  expect(await ask(`${source} `)).toBe(400);
  expect((await askGraphql(service.origin, apiKey, `${source}\n`)).status).toBe(400);
});

it('does not trust its documents if its pages are disabled', async () => {
  const file = join(directory, 'manifest.json');
  const closed = await startService({ settings: { TRUSTED_DOCUMENTS_FILE: file, REFERENCE_PAGES: 'false' } });
  try {
    const key = await seedApiKey(closed.sql, await seedFigures(closed.sql, Date.now()));
    const { status } = await askGraphql(closed.origin, key.apiKey, readViewDocument('shop'));
    expect(status).toBe(400);
  } finally {
    await closed.close();
  }
});
