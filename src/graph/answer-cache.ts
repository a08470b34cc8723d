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

/**
 * Keeps the bodies used last. A key names the shop's data version, so an entry is never stale: once the data changes,
 * nobody asks for it any more and it is pushed out in time.
 *
 * Every shop has a share of its own, so that one shop's traffic cannot push out the bodies of the others; a shop that is
 * not heard of any more gives its share back.
 * @param totalBytes Bound over all shops.
 * @param bytesPerShop Bound of one shop's share.
 */
export function createAnswerCache(totalBytes: number, bytesPerShop: number): AnswerCache {
  const shops = new LRUCache<string, LRUCache<string, FinishedBody>>({
    max: Math.max(1, Math.floor(totalBytes / bytesPerShop)),
  });

  return {
    get: (shopId, key) => shops.get(shopId)?.get(key),
    set(shopId, key, body) {
      let share = shops.get(shopId);
      if (share === undefined) {
        share = new LRUCache({ maxSize: bytesPerShop, sizeCalculation: bytesOf });
        shops.set(shopId, share);
      }
      share.set(key, body);
    },
    countBytes() {
      let bytes = 0;
      for (const share of shops.values()) bytes += share.calculatedSize;
      return bytes;
    },
  };
}

/** A character of a text takes one byte or two: the larger number is a bound. */
const bytesOf = (body: FinishedBody): number => overheadBytes + (typeof body === 'string' ? 2 : 1) * body.length;
