import { LRUCache } from 'lru-cache';

/** What one entry costs beyond its body: key, list nodes, bookkeeping. */
const overheadBytes = 500;

/** A finished body: bytes ready for the socket, or JSON text that goes into a larger one. */
export type FinishedBody = Buffer | string;

/** Finished bodies by a key that names everything they were made from, bounded in bytes. */
export interface AnswerCache {
  get(shopId: string, key: string): FinishedBody | undefined;
  set(shopId: string, key: string, body: FinishedBody): void;
  /** What all bodies take now. */
  countBytes(): number;
}

type Share = LRUCache<string, FinishedBody>;

/**
 * Keeps the bodies used last. A key names the shop's data version, so an entry is never stale: once the data changes,
 * nobody asks for it any more and it is pushed out in time.
 *
 * Every shop has a share of its own, and whoever holds most makes room when all shares together are too large: one shop's traffic
 * cannot push out the bodies of the others, however many they are.
 * @param totalBytes Bound over all shops.
 * @param bytesPerShop Bound of one shop's share.
 */
export function createAnswerCache(totalBytes: number, bytesPerShop: number): AnswerCache {
  const shares = new Map<string, Share>();
  let bytes = 0;

  /** Changes a share, and counts what that changed. */
  function change(shopId: string, share: Share, work: (share: Share) => void): void {
    bytes -= share.calculatedSize;
    work(share);
    bytes += share.calculatedSize;
    if (share.size === 0) shares.delete(shopId);
    else shares.set(shopId, share);
  }

  return {
    get: (shopId, key) => shares.get(shopId)?.get(key),
    set(shopId, key, body) {
      const share = shares.get(shopId) ?? new LRUCache({ maxSize: bytesPerShop, sizeCalculation: bytesOf });
      change(shopId, share, () => share.set(key, body));
      while (bytes > totalBytes) change(...largestOf(shares), (largest) => largest.pop());
    },
    countBytes: () => bytes,
  };
}

/** A few thousand shares at most: each holds a body. */
function largestOf(shares: ReadonlyMap<string, Share>): [shopId: string, share: Share] {
  return [...shares].reduce((largest, each) => (each[1].calculatedSize > largest[1].calculatedSize ? each : largest));
}

/** A character of a text takes one byte or two: the larger number is a bound. */
const bytesOf = (body: FinishedBody): number => overheadBytes + (typeof body === 'string' ? 2 : 1) * body.length;
