import { LRUCache } from 'lru-cache';

/** What one entry costs beyond its body: key, list nodes, bookkeeping. */
const overheadBytes = 500;

/** Finished bodies by their entity tag, bounded in bytes. */
export interface AnswerCache {
  get(shopId: string, etag: string): Buffer | undefined;
  set(shopId: string, etag: string, body: Buffer): void;
}

/**
 * Keeps the bodies used last. An entity tag names the shop's data version, so an entry is never stale: once the data
 * changes, nobody asks for it any more and it is pushed out in time.
 *
 * Every shop has a share of its own, so that one shop's traffic cannot push out the bodies of the others; a shop that is
 * not heard of any more gives its share back.
 * @param totalBytes Bound over all shops.
 * @param bytesPerShop Bound of one shop's share.
 */
export function createAnswerCache(totalBytes: number, bytesPerShop: number): AnswerCache {
  const shops = new LRUCache<string, LRUCache<string, Buffer>>({
    max: Math.max(1, Math.floor(totalBytes / bytesPerShop)),
  });

  return {
    get: (shopId, etag) => shops.get(shopId)?.get(etag),
    set(shopId, etag, body) {
      let share = shops.get(shopId);
      if (share === undefined) {
        share = new LRUCache({ maxSize: bytesPerShop, sizeCalculation: ({ length }) => length + overheadBytes });
        shops.set(shopId, share);
      }
      share.set(etag, body);
    },
  };
}
