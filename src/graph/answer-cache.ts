import { FairCache } from '../fair-cache';
import type { ShopVersion } from '../database/database';

/** What one entry costs besides its body: key, list nodes, bookkeeping. */
const overheadBytes = 500;

/** Complete bodies, or data that becomes part of one, by a key that identifies everything they were made from, bounded in bytes. */
export interface AnswerCache {
  get(shopId: string, key: string): Buffer | undefined;
  /** Offers a body that was just made; it is cached from the second time on. */
  set(at: ShopVersion, key: string, body: Buffer): void;
  /** The memory that all bodies take now. */
  countBytes(): number;
}

/**
 * Caches the most recently used bodies, each from the second time that it is made: a client that paginates through a
 * catalog requests no page twice, and collecting an unused entry costs more than making it did (docs/decisions.md 37).
 * A key contains the shop's data version, so an entry is never stale: once the data changes, no request uses it any
 * more, and the first body of another version replaces all others. Another version, not only a newer one: a failover
 * that loses a write, or a restored backup, sets a version back. Shops share the memory as described in FairCache.
 * @param totalBytes Limit for all shops together.
 * @param bytesPerShop Limit of one shop's share.
 */
export function createAnswerCache(totalBytes: number, bytesPerShop: number): AnswerCache {
  const versions = new Map<string, string>();
  const bodies = new FairCache<Buffer>({
    totalSize: totalBytes,
    sizePerOwner: bytesPerShop,
    overhead: overheadBytes,
    isCommon: false,
    onEmptied: (shopId) => versions.delete(shopId),
  });

  return {
    get: (shopId, key) => bodies.get(shopId, key),
    set({ shopId, dataVersion }, key, body) {
      const known = versions.get(shopId);
      if (known !== undefined && known !== dataVersion) bodies.clear(shopId);
      versions.set(shopId, dataVersion);
      if (bodies.isSecondOffer(shopId, key)) bodies.set(shopId, key, body, body.length);
    },
    countBytes: () => bodies.size,
  };
}
