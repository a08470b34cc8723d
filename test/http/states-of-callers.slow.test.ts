import { routerSecretHeader } from '../../src/federation/transport/forwarded-headers';
import { allRoutes } from '../../src/http/routes';
import { openApiDocument } from '../support/openapi-validator';
import type { RestCall } from '../support/rest-client';
import { createRestClient } from '../support/rest-client';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useService } from '../support/service';

/** Every charged route with callers in every state: the first check that fails decides (D1, D2). */

const rateLimit = 2;
const routerSecret = 'a secret between this service and its router';
const scopes = ['catalog:read', 'orders:read', 'account:read'];

interface Called extends RestCall {
  /** Appended to the path. */
  readonly query?: string;
}
interface Surface {
  readonly scope: string;
  /** What the protected-resource metadata covers (RFC 9728). */
  readonly resource: string;
  readonly good?: Called;
  /** With an invalid parameter or body. */
  readonly bad?: Called;
}
const rest = (scope: string): Surface => ({ scope, resource: '/v1', bad: { query: '?x=%zz' } });
const json = { 'Content-Type': 'application/json', [routerSecretHeader]: routerSecret };
const post = (body: unknown): Called => ({ method: 'POST', headers: json, body: JSON.stringify(body) });
const query = '{ products { nodes { id } } }';
const tool = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_products', arguments: {} } };
const broken: Called = { method: 'POST', headers: json, body: '{' };
const surfaces: Readonly<Record<string, Surface>> = {
  '/v1/shop': rest('account:read'),
  '/v1/products': rest('catalog:read'),
  '/v1/products/{productId}': rest('catalog:read'),
  '/v1/collections': rest('catalog:read'),
  '/v1/orders': rest('orders:read'),
  '/graphql': { scope: 'catalog:read', resource: '/graphql', good: post({ query }), bad: broken },
  '/subgraph': { scope: 'catalog:read', resource: '/subgraph', good: post({ query }), bad: broken },
  '/changes': {
    scope: 'orders:read',
    resource: '/changes',
    good: { query: '?types=orders' },
    bad: { query: '?types=x' },
  },
  '/export': {
    scope: 'orders:read',
    resource: '/export',
    good: { query: '?types=orders' },
    bad: { query: '?types=x' },
  },
  '/mcp': { scope: 'catalog:read', resource: '/mcp', good: post(tool), bad: broken },
};

/** What can be wrong, in the order of the checks. */
const faults = {
  credential: [401, 'UNAUTHORIZED'],
  bucket: [429, 'RATE_LIMITED'],
  plan: [403, 'PLAN_LIMIT_EXCEEDED'],
  scope: [403, 'FORBIDDEN'],
  parameters: [400, 'BAD_USER_INPUT'],
  existence: [404, 'NOT_FOUND'],
} as const;
type Fault = keyof typeof faults;
const subsets = (Object.keys(faults) as Fault[]).reduce<Fault[][]>(
  (all, fault) => [...all, ...all.map((some) => [...some, fault])],
  [[]],
);

let productId: string;
let shopId: string;
const plans: Record<string, string> = {};
const seen = new Set<string>();

const service = useService({ rateLimit, settings: { SUBGRAPH_SECRET: routerSecret, TRUST_PROXY: '1' } });
beforeAll(async () => {
  shopId = await seedShop(service.sql);
  productId = await seedProduct(service.sql, shopId);
  await seedVariant(service.sql, shopId, productId);
  await seedCollection(service.sql, shopId);
  await seedOrder(service.sql, shopId);
  for (const plan of ['free', 'starter', 'pro']) plans[plan] = await seedShop(service.sql, { plan });
});

let address = 0;
/** Each call comes from a different address, so that earlier calls have no effect. */
async function call(path: string, { query: more = '', headers, ...given }: Called, credential?: string) {
  const client = createRestClient(service.origin, credential);
  const forwarded = { 'X-Forwarded-For': `2001:db8:${(address += 1).toString(16)}::1` };
  const target = path.replace('{productId}', productId) + more;
  const answer = await client.call(target, { ...given, headers: { ...headers, ...forwarded } });
  client.seen.forEach((each) => seen.add(each));
  return answer;
}

interface Envelope {
  readonly error?: { readonly code?: unknown };
  readonly errors?: readonly { readonly extensions: { readonly code: unknown } }[];
  readonly result?: { readonly isError?: boolean };
}
const codeIn = (body: unknown, text: string): unknown => {
  const { error, errors, result } = (body ?? {}) as Envelope;
  if (result?.isError === true) return Object.values(faults).find(([, code]) => text.includes(code))?.[1];
  return error?.code ?? errors?.[0]?.extensions.code;
};

it('the table has every route that a key is charged for', () => {
  const charged = allRoutes.filter(({ charge }) => charge === 'key').map(({ path }) => path);
  expect(Object.keys(surfaces).sort()).toEqual(charged.sort());
});

describe.each(Object.entries(surfaces))('%s', (path, { scope, resource, good = {}, bad = {} }) => {
  const metadata = `resource_metadata="${'%'}/.well-known/oauth-protected-resource${resource}"`;
  const challenge = (words: string) =>
    `Bearer realm="Catalog API", ${words}${metadata.replace('%', service.publicUrl)}`;
  const others = scopes.filter((other) => other !== scope);

  it.each(subsets.filter((some) => !some.includes('existence') || path.includes('{')).map((some) => [some]))(
    'responds to the first fault of %j, and spends one call if there is a key',
    async (some) => {
      const has = (fault: Fault) => some.includes(fault);
      // Elsewhere, the request decides which scopes it needs.
      const first = some[0] === 'scope' && has('parameters') && !path.startsWith('/v1') ? 'parameters' : some[0];
      const key = await seedApiKey(service.sql, has('plan') ? (plans['pro'] as string) : shopId, {
        scopes: has('scope') ? others : [scope],
      });
      if (has('bucket')) for (let time = 0; time < rateLimit; time += 1) await call(path, good, key.apiKey);
      const asked = has('existence') ? path.replace('{productId}', 'unknown') : path;
      const credential = has('credential') ? key.apiKey.replace('ck_', 'sk_') : key.apiKey;
      const { status, headers, body, text } = await call(asked, has('parameters') ? bad : good, credential);

      // GraphQL and tools return what the credential may read (D26).
      const isPartial = first === 'scope' && ['/graphql', '/subgraph', '/mcp'].includes(path);
      const [expected, code] = first === undefined ? [200, undefined] : faults[first];
      const word = path === '/mcp' && first === 'parameters' ? -32_700 : code;
      expect([status, codeIn(body, text)]).toEqual([isPartial ? 200 : expected, word]);
      expect(headers['ratelimit-remaining']).toBe(has('credential') ? '1' : has('bucket') ? '0' : '1');
      expect(headers['retry-after']).toBe(first === 'bucket' ? headers['ratelimit-reset'] : undefined);
      const refused = 'error="invalid_token", error_description="The credential is not valid", ';
      expect(headers['www-authenticate']).toBe(
        first === 'credential'
          ? challenge(refused)
          : first === 'scope' && !isPartial
            ? challenge(`error="insufficient_scope", scope="${scope}", `)
            : undefined,
      );
    },
  );

  it('is 401 with a challenge that names no error without a credential (D16)', async () => {
    const { status, headers, body, text } = await call(path, good);
    expect([status, codeIn(body, text)]).toEqual([401, 'UNAUTHORIZED']);
    expect(headers['ratelimit-remaining']).toBe(String(rateLimit));
    expect(headers['www-authenticate']).toBe(challenge(''));
  });

  it.each(['free', 'starter'])('is 403 on the plan %s, without a challenge', async (plan) => {
    const { apiKey } = await seedApiKey(service.sql, plans[plan] as string);
    const { status, headers, body, text } = await call(path, good, apiKey);
    expect([status, codeIn(body, text), headers['www-authenticate']]).toEqual([403, 'PLAN_LIMIT_EXCEEDED', undefined]);
  });

  it('evaluates If-None-Match after all checks (D7)', async () => {
    if (!path.startsWith('/v1')) return;
    const everything = { headers: { 'If-None-Match': '*' } };
    const ask = async (key: Parameters<typeof seedApiKey>[2], more: Called = {}) =>
      (await call(path, { ...everything, ...more }, (await seedApiKey(service.sql, shopId, key)).apiKey)).status;
    expect(await ask({})).toBe(304);
    expect(await ask({ scopes: others })).toBe(403);
    expect(await ask({}, bad)).toBe(400);
  });

  it('is a 500 that reveals nothing, and logs what happened', async () => {
    const { apiKey } = await seedApiKey(service.sql, shopId);
    await service.sql('ALTER TABLE api_keys RENAME TO api_keys_away');
    const { status, body, text } = await call(path, good, apiKey).finally(() =>
      service.sql('ALTER TABLE api_keys_away RENAME TO api_keys'),
    );
    expect([status, codeIn(body, text)]).toEqual([500, 'INTERNAL_SERVER_ERROR']);
    expect(text).toContain('Internal server error. Retry once; if it fails again, report the X-Request-Id.');
    expect(text).not.toContain('api_keys');
    expect(JSON.stringify(service.log.slice(-5))).toContain('api_keys');
  });

  it('is 503 with Retry-After while the database is unavailable, which costs no call', async () => {
    const { apiKey } = await seedApiKey(service.sql, shopId);
    const answers = await service.duringOutage(async () => [
      await call(path, good, apiKey),
      await call(path, good, apiKey),
    ]);
    for (const { status, headers, body, text } of answers) {
      expect([status, codeIn(body, text), headers['retry-after']]).toEqual([503, 'SERVICE_UNAVAILABLE', '1']);
      expect(headers['ratelimit-remaining']).toBe(String(rateLimit));
    }
    const { status, headers } = await call(path, good, apiKey);
    expect([status, headers['ratelimit-remaining']]).toEqual([200, '1']);
  });
});

it('openapi.yaml documents the responses that were seen, and no others', () => {
  const documented = Object.values(openApiDocument().paths).flatMap(({ get: { operationId, responses } }) =>
    Object.keys(responses).map((status) => `${operationId} ${status}`),
  );
  expect([...seen].sort()).toEqual(documented.sort());
});
