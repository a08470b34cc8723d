import { createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '../../src/auth/api-keys';
import { seedShop } from '../support/seed';
import { useTestDatabase } from '../support/test-database';
import type { AuthHarness } from './auth-harness';
import { createAuthHarness } from './auth-harness';

const hour = 3_600_000;

describe('key administration (D12)', () => {
  let auth: AuthHarness;
  let shopDomain: string;
  const test = useTestDatabase();
  beforeEach(async () => {
    auth = createAuthHarness(test.database);
    const shopId = await seedShop(test.sql);
    const [shop] = await test.sql<{ domain: string }>('SELECT domain FROM shops WHERE shop_id = $1', [shopId]);
    shopDomain = shop?.domain ?? '';
  });

  const create = (options: { scopes?: string[]; name?: string; expiresAt?: number } = {}) =>
    createApiKey(test.database, {
      shopDomain,
      scopes: ['catalog:read'],
      keyPrefix: 'ck',
      clock: auth.clock,
      ...options,
    });
  const isRefused = async (apiKey: string) => {
    await expect(auth.authenticate(apiKey)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    return true;
  };

  it('creates a key that is valid immediately', async () => {
    const key = await create({ scopes: ['account:read', 'catalog:read'], expiresAt: auth.clock() + hour });
    expect(key).toEqual({
      clientId: expect.stringMatching(/^ck_[0-9A-Za-z]{32}$/) as unknown,
      clientSecret: expect.stringMatching(/^[0-9A-Za-z]{49}$/) as unknown,
      apiKey: `${key.clientId}.${key.clientSecret}`,
      scopes: ['catalog:read', 'account:read'],
      expiresAt: '2026-01-31T13:00:00.000Z',
    });
    expect(await auth.authenticate(key.apiKey)).toMatchObject({ clientId: key.clientId, scopes: key.scopes });
  });

  it.each(['free', 'starter', 'pro'])('refuses a key to a shop on plan %s', async (plan) => {
    await test.sql('UPDATE shops SET plan = $2 WHERE domain = $1', [shopDomain, plan]);
    await expect(create()).rejects.toMatchObject({ code: 'PLAN_LIMIT_EXCEEDED' });
    expect(await listApiKeys(test.database, shopDomain)).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['no scope', { scopes: [] }, 'BAD_USER_INPUT'],
    ['an unknown scope', { scopes: ['catalog:read', 'catalog:write'] }, 'BAD_USER_INPUT'],
    ['an end in the past', { expiresAt: 0 }, 'BAD_USER_INPUT'],
    ['an end that no calendar has', { expiresAt: Number.MAX_SAFE_INTEGER }, 'BAD_USER_INPUT'],
  ])('refuses a key with %s', async (_, options, code) => {
    await expect(create(options)).rejects.toMatchObject({ code });
  });

  it('keeps at most two secrets: a second rotation ends the first one', async () => {
    const rotate = () => rotateApiKey(test.database, first.clientId, { overlapMilliseconds: hour, clock: auth.clock });
    const first = await create();
    const second = await rotate();
    const third = await rotate();
    expect(await isRefused(first.apiKey)).toBe(true);
    await auth.authenticate(second.apiKey);
    await auth.authenticate(third.apiKey);
  });

  it('rotates neither a revoked key nor an expired one', async () => {
    const [revoked, expired] = [await create(), await create({ expiresAt: auth.clock() + hour })];
    await revokeApiKey(test.database, revoked.clientId, auth.clock);
    auth.moveClock(hour);
    for (const { clientId } of [revoked, expired]) {
      const rotation = rotateApiKey(test.database, clientId, { overlapMilliseconds: hour, clock: auth.clock });
      await expect(rotation).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it('accepts the id without its prefix, refuses another prefix, and never quotes a secret given as an id', async () => {
    const key = await create();
    const options = { overlapMilliseconds: 0, clock: auth.clock };
    expect(await rotateApiKey(test.database, key.clientId.slice(3), options)).toMatchObject({ clientId: key.clientId });
    await expect(rotateApiKey(test.database, key.clientId.replace('ck_', 'sk_'), options)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(rotateApiKey(test.database, key.apiKey, options)).rejects.toMatchObject({
      message: expect.not.stringContaining(key.clientSecret) as unknown,
    });
  });
});
