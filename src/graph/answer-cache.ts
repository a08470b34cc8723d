import { LRUCache } from 'lru-cache';
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

/** In the place of a body that was made once: nobody has asked for it again yet. */
const madeOnce = Symbol('made once');

/** The bodies of one version of a shop's data. */
interface Share {
  readonly version: string;
  readonly bodies: LRUCache<string, FinishedBody | typeof madeOnce>;
}

/**
 * Keeps the bodies used last, each from the second time that it is made: who walks through a catalog asks for no page twice, and
 * what is kept for nobody costs more to collect than it cost to make (docs/decisions.md 37). A key names the shop's data version, so
 * an entry is never stale: once the data changes, nobody asks for it any more, and the first body of another version takes the place
 * of all others. Another, not only a newer one: a failover that loses a write, or a restored backup, sets a version back.
 *
 * Every shop has a share of its own, and whoever holds most makes room when all shares together are too large: one shop's traffic
 * cannot push out the bodies of the others, however many they are.
 * @param totalBytes Bound over all shops.
 * @param bytesPerShop Bound of one shop's share.
 */
export function createAnswerCache(totalBytes: number, bytesPerShop: number): AnswerCache {
  const shares = new Map<string, Share>();
  let bytes = 0;
  const createBodies = (): Share['bodies'] => new LRUCache({ maxSize: bytesPerShop, sizeCalculation: bytesOf });

  /** Changes a share, and counts what that changed. */
  function change(shopId: string, share: Share, work: (bodies: Share['bodies']) => void): void {
    const { bodies } = share;
    bytes -= bodies.calculatedSize;
    work(bodies);
    bytes += bodies.calculatedSize;
    if (bodies.size === 0) shares.delete(shopId);
    else shares.set(shopId, share);
  }

  return {
    get(shopId, key) {
      const body = shares.get(shopId)?.bodies.get(key);
      return body === madeOnce ? undefined : body;
    },
    set({ shopId, dataVersion }, key, body) {
      const known = shares.get(shopId);
      if (known !== undefined && dataVersion !== known.version) change(shopId, known, (bodies) => bodies.clear());
      const share = shares.get(shopId) ?? { version: dataVersion, bodies: createBodies() };
      change(shopId, share, (kept) => kept.set(key, kept.has(key) ? body : madeOnce));
      while (bytes > totalBytes) change(...largestOf(shares), (kept) => kept.pop());
    },
    countBytes: () => bytes,
  };
}

/** A few thousand shares at most: each holds a body. */
function largestOf(shares: ReadonlyMap<string, Share>): [shopId: string, share: Share] {
  const sizeOf = ([, { bodies }]: [string, Share]) => bodies.calculatedSize;
  return [...shares].reduce((largest, each) => (sizeOf(each) > sizeOf(largest) ? each : largest));
}

/** A character of a text takes one byte or two: the larger number is a bound. */
function bytesOf(body: FinishedBody | typeof madeOnce): number {
  if (body === madeOnce) return overheadBytes;
  return overheadBytes + (typeof body === 'string' ? 2 : 1) * body.length;
}
