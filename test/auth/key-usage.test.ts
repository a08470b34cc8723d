import type { KeyRecord } from '../../src/auth/authenticator';
import { createKeyReader, toKeyAddress } from '../../src/auth/authenticator';
import { createLastUses } from '../../src/auth/usage-counter';
import type { Database } from '../../src/database/database';
import type { Prisma } from '../../src/database/generated/client';
import { seedApiKey, seedShop } from '../support/seed';
import { useTestDatabase } from '../support/test-database';

const noon = Date.parse('2026-01-31T12:00:00.000Z');

describe("the time of a key's last use", () => {
  let readRecord: () => Promise<KeyRecord>;
  const test = useTestDatabase();
  beforeEach(async () => {
    const { clientId } = await seedApiKey(test.sql, await seedShop(test.sql));
    const readKey = createKeyReader(test.database);
    readRecord = async () => {
      const record = await readKey(toKeyAddress(clientId.slice(3)));
      if (record === undefined) throw new Error('the key is gone');
      return record;
    };
  });

  it('is recorded to the minute, with one write however many calls there are', async () => {
    let writes = 0;
    const counted = {
      prisma: {
        keyUse: {
          updateMany: (query: Prisma.KeyUseUpdateManyArgs) => {
            writes += 1;
            return test.database.prisma.keyUse.updateMany(query);
          },
        },
      },
    } as unknown as Database;
    const usage = createLastUses(counted, (error) => {
      throw error;
    });
    const otherProcess = createLastUses(counted, (error) => {
      throw error;
    });
    const stale = await readRecord();
    for (let call = 0; call < 100; call += 1) usage.note(stale, noon);
    await usage.settle();
    otherProcess.note(await readRecord(), noon + 59_999);
    await otherProcess.settle();
    expect([writes, (await readRecord()).lastUsedAt]).toEqual([1, noon]);
    otherProcess.note(await readRecord(), noon + 60_000);
    await otherProcess.settle();
    expect([writes, (await readRecord()).lastUsedAt]).toEqual([2, noon + 60_000]);
  });

  it('does not move the data version: no response depends on it (D7)', async () => {
    const usage = createLastUses(test.database, () => undefined);
    const before = await readRecord();
    usage.note(before, noon);
    await usage.settle();
    expect((await readRecord()).dataVersion).toBe(before.dataVersion);
  });

  it('never fails a call, reports its failure, and tries again after a minute', async () => {
    const failures: unknown[] = [];
    const broken = {
      prisma: { keyUse: { updateMany: () => Promise.reject(new Error('read-only')) } },
    } as unknown as Database;
    const usage = createLastUses(broken, (error) => failures.push(error));
    const record = await readRecord();
    for (const moment of [noon, noon + 1, noon + 59_999, noon + 60_000]) {
      usage.note(record, moment);
      await usage.settle();
    }
    expect(failures).toHaveLength(2);
  });
});
