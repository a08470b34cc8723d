import { FairCache } from '../fair-cache';
import type { ShopVersion } from '../database/database';

/** What one entry costs beyond its body: key, list nodes, bookkeeping. */
const overheadBytes = 500;

/** A finished body: bytes ready for the socket, or JSON text that goes into a larger one. */
export type FinishedBody = Buffer | string;

/** Finished bodies by a key that names everything they were made from, bounded in bytes. */
export interface AnswerCache {
  get(shopId: string, key: string): FinishedBody | undefined;
  /** Told of a body that was just made; it is kept when that was not the first time. */
  set(at: ShopVersion, key: string, body: FinishedBody): void;
  /** What all bodies take now. */
  countBytes(): number;
}

/**
 * Keeps the bodies used last, each from the second time that it is made: who walks through a catalog asks for no page twice, and
 * what is kept for nobody costs more to collect than it cost to make (docs/decisions.md 37). A key names the shop's data version, so
 * an entry is never stale: once the data changes, nobody asks for it any more, and the first body of another version takes the place
 * of all others. Another, not only a newer one: a failover that loses a write, or a restored backup, sets a version back. Shops share
 * the memory as FairCache says.
 * @param totalBytes Bound over all shops.
 * @param bytesPerShop Bound of one shop's share.
 */
export function createAnswerCache(totalBytes: number, bytesPerShop: number): AnswerCache {
  const versions = new Map<string, string>();
  const bodies = new FairCache<FinishedBody>({
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
      if (bodies.isSecondOffer(shopId, key)) bodies.set(shopId, key, body, bytesOf(body));
    },
    countBytes: () => bodies.size,
  };
}

/** A character of a text takes one byte or two: the larger number is a bound. */
const bytesOf = (body: FinishedBody): number => (typeof body === 'string' ? 2 : 1) * body.length;
