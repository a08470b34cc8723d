import { LRUCache } from 'lru-cache';
import type { Database } from '../database/database';
import type { KeyRecord } from './key-reader';

const intervalMilliseconds = 60_000;

export interface KeyUsage {
  /** Records that a key was used just now. Returns immediately and never fails a request. */
  readonly note: (record: KeyRecord, now: number) => void;
  /** Resolves when no write is in progress: for the end of a process, and for tests. */
  readonly settle: () => Promise<void>;
}

/**
 * Updates `last_used_at`, to the minute and in the background: it shows people which keys are no longer needed. What every
 * request reads contains the time of the last write, so all processes together write once per minute and
 * key.
 */
export function createKeyUsage(database: Database, onError: (error: unknown) => void): KeyUsage {
  // When a write fails, or other requests arrive before it completes, the table still has the old time.
  const attempts = new LRUCache<string, number>({ max: 10_000 });
  const pending = new Set<Promise<void>>();

  return {
    note({ shop, clientId, lastUsedAt }, now) {
      const name = `${shop.id} ${clientId}`;
      const latest = Math.max(lastUsedAt ?? -Infinity, attempts.get(name) ?? -Infinity);
      if (now - latest < intervalMilliseconds) return;
      attempts.set(name, now);
      const write = writeLastUse(database, shop.id, clientId, now)
        .catch(onError)
        .finally(() => pending.delete(write));
      pending.add(write);
    },
    async settle() {
      await Promise.all(pending);
    },
  };
}

async function writeLastUse(database: Database, shopId: string, clientId: string, now: number): Promise<void> {
  const lastUsedAt = new Date(now);
  await database.prisma.keyUse.updateMany({
    where: { shopId, clientId, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: lastUsedAt } }] },
    data: { lastUsedAt },
  });
}
