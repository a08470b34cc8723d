import { exchange } from '../support/rest-client';
import { seedApiKey, seedShop } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

let service: Service;
let shopId: string;
beforeAll(async () => {
  service = await startService();
  shopId = await seedShop(service.sql);
});
afterAll(() => service.close());

const challenge = (scope: string, resource: string) =>
  `Bearer realm="Catalog API", error="insufficient_scope", scope="${scope}", ` +
  `resource_metadata="${service.publicUrl}/.well-known/oauth-protected-resource${resource}"`;

it.each([
  ['/v1/shop', 'catalog:read', 'account:read', '/v1'],
  ['/v1/products', 'account:read', 'catalog:read', '/v1'],
  ['/v1/products/x', 'orders:read', 'catalog:read', '/v1'],
  ['/v1/collections', 'orders:read', 'catalog:read', '/v1'],
  ['/v1/orders', 'catalog:read', 'orders:read', '/v1'],
  ['/changes', 'account:read', 'catalog:read', '/changes'],
  ['/export', 'account:read', 'catalog:read', '/export'],
  ['/export?types=orders', 'catalog:read', 'orders:read', '/export'],
  ['/export?types=products', 'orders:read', 'catalog:read', '/export'],
])('the 403 of %s with a key for %s asks for %s (D16)', async (path, carried, needed, resource) => {
  const { apiKey } = await seedApiKey(service.sql, shopId, { scopes: [carried] });
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await exchange(service.origin, path, {
      method,
      headers: { Authorization: `Bearer ${apiKey}` },
    });
    expect([status, headers['www-authenticate']]).toEqual([403, challenge(needed, resource)]);
  }
});

it('a plan that does not include the API is no matter of scopes: its 403 has no challenge', async () => {
  const { apiKey } = await seedApiKey(service.sql, await seedShop(service.sql, { plan: 'pro' }));
  for (const path of ['/v1/shop', '/graphql?query={shop{id}}', '/changes', '/export']) {
    const { status, headers } = await exchange(service.origin, path, {
      headers: { Authorization: `Bearer ${apiKey}` },
    });
    expect([status, headers['www-authenticate']]).toEqual([403, undefined]);
  }
});

it.each(['application/json', 'application/graphql-response+json'])(
  'GraphQL as %s never answers 403 for a scope: the field is null, and the rest is answered (D26)',
  async (accept) => {
    const { apiKey } = await seedApiKey(service.sql, shopId, { scopes: ['orders:read'] });
    for (const query of [
      '{ products { nodes { id } } }',
      '{ shop { id } orders { nodes { id } } }',
      '{ changes { nodes { id } } }',
    ]) {
      const { status, headers } = await exchange(service.origin, `/graphql?query=${encodeURIComponent(query)}`, {
        headers: { Authorization: `Bearer ${apiKey}`, Accept: accept },
      });
      expect([status, headers['www-authenticate']]).toEqual([200, undefined]);
    }
  },
);
