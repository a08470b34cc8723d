import { createHash } from 'node:crypto';
import { nilShopId, parseClientId } from '../../src/auth/api-key';
import { createKeyReader, toKeyAddress } from '../../src/auth/authenticator';
import type { SeededKey } from '../support/seed';
import { seedApiKey, seedProduct, seedShop } from '../support/seed';
import { useTestDatabase } from '../support/test-database';

const toAddress = ({ clientId }: SeededKey) => toKeyAddress(parseClientId(clientId)?.clientId ?? '');

describe('the one read of a request (D12, D14)', () => {
  const test = useTestDatabase();

  it('returns key, shop and data version together', async () => {
    const shopId = await seedShop(test.sql, {
      domain: 'hearth.example',
      name: 'Hearth',
      platform: 'woocommerce',
      currency: 'SEK',
      plan: 'pro',
      plan_status: 'past_due',
      product_limit: 2,
      created_at: '2025-03-04 01:02:03.004+02',
      last_sync_at: '0033-01-01 00:00:00Z',
    });
    for (let count = 0; count < 3; count += 1) await seedProduct(test.sql, shopId);
    const key = await seedApiKey(test.sql, shopId, {
      scopes: ['account:read', 'catalog:read'],
      previous_secret_digest: Buffer.alloc(32, 1),
      previous_secret_expires_at: '2026-01-31T12:00:00.123Z',
      expires_at: 'infinity',
    });
    const [{ version = '' } = {}] = await test.sql<{ version: string }>(
      'SELECT data_version::text AS version FROM shops WHERE shop_id = $1',
      [shopId],
    );
    expect(await createKeyReader(test.database)(toAddress(key))).toEqual({
      keyPrefix: 'ck',
      clientId: key.clientId.slice(3),
      scopes: ['account:read', 'catalog:read'],
      secretDigest: createHash('sha256').update(key.clientSecret).digest('hex'),
      previousSecretDigest: '01'.repeat(32),
      previousSecretExpiresAt: Date.parse('2026-01-31T12:00:00.123Z'),
      expiresAt: Infinity,
      revoked: false,
      dataVersion: version,
      shop: {
        id: shopId,
        name: 'Hearth',
        domain: 'hearth.example',
        platform: 'woocommerce',
        currency: 'SEK',
        plan: 'pro',
        planStatus: 'past_due',
        productLimit: 2,
        productCount: 2,
        lastSyncAt: '0033-01-01T00:00:00.000Z',
        createdAt: '2025-03-03T23:02:03.004Z',
      },
    });
  });

  it('reads the keys of many shops with one statement, and with one for each shop where Citus has shards', async () => {
    const keys = await Promise.all(
      Array.from({ length: 30 }, async () => seedApiKey(test.sql, await seedShop(test.sql))),
    );
    const counted = async (): Promise<number> => {
      let statements = 0;
      const readRows: typeof test.database.readRows = (...given) => {
        statements += 1;
        return test.database.readRows(...given);
      };
      const readKey = createKeyReader({ ...test.database, readRows }, 1);
      await readKey(toAddress(keys[0] as SeededKey));
      await Promise.all(keys.map(toAddress).map(readKey));
      const before = statements;
      const records = await Promise.all(keys.map(toAddress).map(readKey));
      expect(records.map((record) => record?.clientId)).toEqual(keys.map((key) => toAddress(key).clientId));
      return statements - before;
    };
    expect(await counted()).toBe(1);
    await test.sql('SET allow_system_table_mods = on; CREATE TABLE pg_catalog.pg_dist_partition ()');
    expect(await counted()).toBe(30);
  });

  it('finds a key under its own shop only', async () => {
    const key = await seedApiKey(test.sql, await seedShop(test.sql));
    const readKey = createKeyReader(test.database);
    const otherShopId = await seedShop(test.sql);
    expect(await readKey({ ...toAddress(key), shopId: otherShopId })).toBeUndefined();
    expect(await readKey({ ...toAddress(key), shopId: nilShopId })).toBeUndefined();
  });
});
