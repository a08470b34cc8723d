import { FairCache } from '../common/fair-cache';
import type { ShopVersion } from '../database/database';

/** What one entry costs besides its body: key, list nodes, bookkeeping. */
const overheadBytes = 500;

/** Complete bodies, or data that becomes part of one, by a key that identifies everything they were made from, bounded in bytes. */
export interface AnswerCache<Body> {
  get(shopId: string, key: string): Body | undefined;
  /** Offers a body that was just made; it is cached from the second time on. */
  set(at: ShopVersion, key: string, body: Body): void;
  /** The memory that all bodies take now. */
  countBytes(): number;
}

/**
 * Caches the most recently used bodies, each from the second time that it is made: a client that paginates through a
 * catalog requests no page twice, and collecting an unused entry costs more than making it did (docs/decisions.md 8).
 * A key contains the shop's data version, so an entry is never stale: once the data changes, no request uses it any
 * more, and the first body of another version replaces all others. Another version, not only a newer one: a failover
 * that loses a write, or a restored backup, sets a version back. Shops share the memory as described in FairCache.
 * @param totalBytes Limit for all shops together.
 * @param bytesPerShop Limit of one shop's share.
 * @param sizeOf The bytes of a body.
 */
export function createAnswerCache<Body>(
  totalBytes: number,
  bytesPerShop: number,
  sizeOf: (body: Body) => number,
): AnswerCache<Body> {
  const versions = new Map<string, string>();
  const bodies = new FairCache<Body>({
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
      if (bodies.isSecondOffer(shopId, key)) bodies.set(shopId, key, body, sizeOf(body));
    },
    countBytes: () => bodies.size,
  };
}
