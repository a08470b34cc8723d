import { LRUCache } from 'lru-cache';
import { createCoalescedRead } from '../database/bounded-pool';
import type { Database } from '../database/database';
import { sql } from '../database/sql';
import { usesCitus } from '../database/sharding/shard-groups';
import { StandbyError } from '../database/database-failure';
import type { ShopRecord } from './principal';

/** Where a key's row is: every lookup includes the shop, so that it can be routed to the shop's shard. */
export interface KeyAddress {
  readonly shopId: string;
  /** Without the prefix. */
  readonly clientId: string;
}

/** The result of one read: a key, its shop and the version of the shop's data, all from one snapshot. */
export interface KeyRecord {
  readonly keyPrefix: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** SHA-256 in hexadecimal, like the previous one. */
  readonly secretDigest: string;
  readonly previousSecretDigest: string | null;
  /** Milliseconds since the epoch, as are the other times; PostgreSQL's infinities arrive as words. */
  readonly previousSecretExpiresAt: number | string | null;
  readonly expiresAt: number | string | null;
  readonly lastUsedAt: number | null;
  readonly revoked: boolean;
  readonly dataVersion: string;
  readonly shop: ShopRecord;
}

/** Reads a key's row. The statement begins after the call, and nothing is cached between calls. */
export type KeyReader = (address: KeyAddress) => Promise<KeyRecord | undefined>;

/** One read per request returns everything that authentication needs (D14); concurrent requests share it. */
export function createKeyReader(database: Database, maximumInFlight = 2): KeyReader {
  let hasShards: Promise<boolean> | undefined;
  const detectShards = (): Promise<boolean> =>
    usesCitus(database).catch((error: unknown) => {
      hasShards = undefined;
      throw error;
    });
  const select = (group: readonly KeyAddress[]) =>
    selectKeys(database, group).catch((error: unknown) => error as Error);
  return createCoalescedRead({
    async readMany(addresses) {
      const shopIds = new Set(addresses.map(({ shopId }) => shopId));
      // Behind a router of shards each shop has another server.
      const isSplit = shopIds.size > 1 && (await (hasShards ??= detectShards()));
      const groups = isSplit ? [...shopIds].map((id) => addresses.filter(({ shopId }) => shopId === id)) : [addresses];
      const found = await Promise.all(groups.map(select));
      const ofShop = new Map([...shopIds].map((shopId, index) => [shopId, found[isSplit ? index : 0]]));
      return addresses.map((address) => {
        const keys = ofShop.get(address.shopId);
        return keys instanceof Error ? keys : keys?.get(nameOf(address));
      });
    },
    maximumKeys: 100,
    maximumInFlight,
    maximumDelayMilliseconds: 250,
  });
}

const nameOf = ({ shopId, clientId }: KeyAddress): string => `${shopId} ${clientId}`;

/**
 * The keys at these addresses, as one text: Prisma's cost is per value, not per byte. A standby returns only null,
 * because its data about a key is old.
 */
async function selectKeys(
  database: Database,
  addresses: readonly KeyAddress[],
): Promise<ReadonlyMap<string, KeyRecord>> {
  const shopIds = addresses.map(({ shopId }) => shopId);
  const clientIds = addresses.map(({ clientId }) => clientId);
  const areWanted = shopIds.every((shopId) => shopId === shopIds[0])
    ? sql`k.shop_id = ${shopIds[0]}::uuid AND k.client_id = ANY (${[...new Set(clientIds)]}::text[])`
    : sql`(k.shop_id, k.client_id) IN (SELECT * FROM unnest(${shopIds}::uuid[], ${clientIds}::text[]))`;
  const [[json] = []] = await database.readRows(
    sql`
    SELECT CASE WHEN NOT pg_is_in_recovery() THEN coalesce(json_object_agg(k.shop_id || ' ' || k.client_id,
             json_build_object(
             'keyPrefix', k.key_prefix,
             'clientId', k.client_id,
             'scopes', k.scopes,
             'secretDigest', encode(k.secret_digest, 'hex'),
             'previousSecretDigest', encode(k.previous_secret_digest, 'hex'),
             'previousSecretExpiresAt', extract(epoch FROM k.previous_secret_expires_at) * 1000,
             'expiresAt', extract(epoch FROM k.expires_at) * 1000,
             'lastUsedAt', extract(epoch FROM u.last_used_at) * 1000,
             'revoked', k.revoked_at IS NOT NULL,
             'dataVersion', s.data_version::text,
             'shop', json_build_object(
               'id', s.shop_id,
               'name', s.name,
               'domain', s.domain,
               'platform', s.platform,
               'currency', s.currency,
               'plan', s.plan,
               'planStatus', s.plan_status,
               'productLimit', s.product_limit,
               'productCount', least(s.product_limit, s.live_product_count),
               'lastSyncAt', to_char(s.last_sync_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
               'createdAt', to_char(s.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))), '{}')::text END AS keys
      FROM api_keys AS k JOIN shops AS s ON s.shop_id = k.shop_id
      LEFT JOIN key_uses AS u ON u.shop_id = k.shop_id AND u.client_id = k.client_id
     WHERE ${areWanted}`,
  );
  if (typeof json !== 'string') throw new StandbyError();
  return new Map(Object.entries(JSON.parse(json) as Record<string, KeyRecord>));
}

const intervalMilliseconds = 60_000;

export interface LastUses {
  /** Records that a key was used just now. Returns immediately and never fails a request. */
  readonly note: (record: KeyRecord, now: number) => void;
  /** Resolves when no write is in progress: for the end of a process, and for tests. */
  readonly settle: () => Promise<void>;
}

/**
 * Updates `last_used_at`, to the minute and in the background: it shows people which keys are no longer needed. What
 * every request reads contains the time of the last write, so all processes together write once per minute and key.
 */
export function createLastUses(database: Database, onError: (error: unknown) => void): LastUses {
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
