import { randomUUID } from 'node:crypto';
import { openApiDocument } from '../support/openapi-validator';
import type { RestAnswer, RestClient } from '../support/rest-client';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

interface Row {
  readonly operationId: string;
  readonly path: string;
  readonly scope: string;
}

let productId: string;
let service: Service;
let shopId: string;
let client: RestClient;
const seen = new Set<string>();

beforeAll(async () => {
  service = await startService();
  shopId = await seedShop(service.sql);
  productId = await seedProduct(service.sql, shopId);
  await seedVariant(service.sql, shopId, productId);
  await seedCollection(service.sql, shopId);
  await seedOrder(service.sql, shopId);
  client = await createClient();
});
afterAll(() => service.close());

async function createClient(values: Record<string, unknown> = {}, shop = shopId): Promise<RestClient> {
  const { apiKey } = await seedApiKey(service.sql, shop, values);
  return service.client(apiKey);
}

/** Sends one call and records it as covered. */
async function get(by: RestClient, path: string, headers = {}): Promise<RestAnswer> {
  const answer = await by.get(path.replace('{productId}', productId), headers);
  by.seen.forEach((entry) => seen.add(entry));
  return answer;
}

const error = (code: string) => ({ error: { code, message: expect.any(String) as string } });

const rows: readonly Row[] = [
  { operationId: 'getShop', path: '/shop', scope: 'account:read' },
  { operationId: 'listProducts', path: '/products', scope: 'catalog:read' },
  { operationId: 'getProduct', path: '/products/{productId}', scope: 'catalog:read' },
  { operationId: 'listCollections', path: '/collections', scope: 'catalog:read' },
  { operationId: 'listOrders', path: '/orders', scope: 'orders:read' },
];

describe.each(rows)('$operationId', ({ path, scope }) => {
  it('answers 200 with a strong entity tag, private and revalidated (D7)', async () => {
    const { status, headers } = await get(client, path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'private, no-cache, must-revalidate',
      vary: 'Authorization, Accept-Encoding',
      etag: expect.stringMatching(/^"[^"]+"$/) as string,
    });
  });

  it('answers 304 without a body to the entity tag (D7)', async () => {
    const { headers } = await get(client, path);
    const { status, text, headers: again } = await get(client, path, { 'If-None-Match': String(headers['etag']) });
    expect({ status, text, etag: again['etag'] }).toEqual({ status: 304, text: '', etag: headers['etag'] });
  });

  it('answers 400 to a broken query', async () => {
    expect(await get(client, `${path}?x=%zz`)).toMatchObject({ status: 400, body: error('BAD_USER_INPUT') });
  });

  it('answers 401 with a challenge to a missing and to an unknown credential (D16)', async () => {
    const missing = await get(service.client(), path);
    expect(missing).toMatchObject({ status: 401, body: error('UNAUTHORIZED') });
    const url = `${service.publicUrl}/.well-known/oauth-protected-resource/v1`;
    expect(missing.headers['www-authenticate']).toBe(`Bearer realm="Catalog API", resource_metadata="${url}"`);
    const unknown = await get(service.client('ck_x.y'), path);
    expect(unknown).toMatchObject({ status: 401, body: error('UNAUTHORIZED') });
    expect(unknown.headers['www-authenticate']).toContain('error="invalid_token"');
  });

  it('answers 403 FORBIDDEN to every key without its scope, and 200 to a key with it alone', async () => {
    const others = ['catalog:read', 'orders:read', 'account:read'].filter((other) => other !== scope);
    const without = await createClient({ scopes: others });
    expect(await get(without, path)).toMatchObject({ status: 403, body: error('FORBIDDEN') });
    expect(await get(await createClient({ scopes: [scope] }), path)).toMatchObject({ status: 200 });
  });

  it.each(['free', 'starter', 'pro'])('answers 403 PLAN_LIMIT_EXCEEDED on the plan %s', async (plan) => {
    const by = await createClient({}, await seedShop(service.sql, { plan }));
    expect(await get(by, path)).toMatchObject({ status: 403, body: error('PLAN_LIMIT_EXCEEDED') });
  });

  it('answers 429 with Retry-After after 120 calls, also for what would be 304 (D18)', async () => {
    const by = await createClient();
    const answers = [];
    for (let call = 0; call < 121; call++) answers.push(await get(by, path, { 'If-None-Match': '*' }));
    const remaining = answers.map(({ headers }) => Number(headers['ratelimit-remaining']));
    expect(remaining).toEqual([...Array.from({ length: 120 }, (_, index) => 119 - index), 0]);
    expect(answers.slice(0, 120).every(({ status }) => status === 304)).toBe(true);
    expect(answers[120]).toMatchObject({ status: 429, body: error('RATE_LIMITED') });
    expect(answers[120]?.headers['retry-after']).toBe(answers[120]?.headers['ratelimit-reset']);
  });

  it('answers 404 to an id that does not exist, where there is one', async () => {
    if (!path.includes('{')) return;
    expect(await get(client, path.replace('{productId}', randomUUID()))).toMatchObject({ status: 404 });
  });

  it('mirrors GET on HEAD, without a body (D6)', async () => {
    const target = `/v1${path.replace('{productId}', productId)}`;
    const got = await client.call(target);
    const { status, text, headers } = await client.call(target, { method: 'HEAD' });
    const stable = ['content-type', 'content-length', 'etag', 'cache-control', 'vary', 'ratelimit-limit'];
    const pick = (all: RestAnswer['headers']) => stable.map((name) => all[name]);
    expect({ status, text, headers: pick(headers) }).toEqual({ status: 200, text: '', headers: pick(got.headers) });
  });

  it('answers 500 that reveals nothing, and logs what happened', async () => {
    await service.sql('ALTER TABLE api_keys RENAME TO api_keys_away');
    try {
      const { status, body } = await get(client, path);
      expect(status).toBe(500);
      expect(body).toEqual({ error: { code: 'INTERNAL_SERVER_ERROR', message: 'Something went wrong on our side.' } });
    } finally {
      await service.sql('ALTER TABLE api_keys_away RENAME TO api_keys');
    }
    expect(JSON.stringify(service.log)).toContain('api_keys');
  });

  it('answers 503 with Retry-After while the database is unavailable, counting nothing, and 200 again after (D1, D19)', async () => {
    const by = await createClient();
    const [first, second] = await service.duringOutage(async () => [await get(by, path), await get(by, path)]);
    expect(first).toMatchObject({ status: 503, body: error('SERVICE_UNAVAILABLE') });
    expect(second?.headers['ratelimit-remaining']).toBe(first?.headers['ratelimit-remaining']);
    expect(await get(by, path)).toMatchObject({ status: 200 });
  });
});

describe('openapi.yaml', () => {
  it('documents no response that no test produces', () => {
    const documented = Object.values(openApiDocument().paths).flatMap(({ get: { operationId, responses } }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    );
    expect([...seen].sort()).toEqual(documented.sort());
  });

  it('lists the operations of the specification', () => {
    const listed = Object.entries(openApiDocument().paths).map(
      ([
        path,
        {
          get: { operationId },
        },
      ]) => ({ path, operationId }),
    );
    expect(listed).toEqual(rows.map(({ path, operationId }) => ({ path, operationId })));
  });
});
