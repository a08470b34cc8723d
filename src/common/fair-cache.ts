import { LRUCache } from 'lru-cache';

/** Bounds of a FairCache, in bytes or in any other unit of its entries. */
interface FairCacheOptions {
  /** Bound over all owners. */
  readonly totalSize: number;
  /** Bound for one owner. */
  readonly sizePerOwner: number;
  /** Cost of an entry beyond its value, and cost of a key that was offered once. */
  readonly overhead: number;
  /**
   * Whether a key means the same value for every owner. Such an entry is stored once and counts in the share of each
   * owner that uses it. Otherwise no owner ever gets another's value.
   */
  readonly isCommon: boolean;
  /** Called when an owner no longer has any entries. */
  readonly onEmptied?: ((owner: string) => void) | undefined;
}

interface Entry<Value> {
  readonly value: Value;
  readonly size: number;
  holders: number;
}

/** Placeholder for an entry that was offered once. */
const offeredOnce = Symbol('offered once');
type Slot<Value> = Entry<Value> | typeof offeredOnce;
type Share<Value> = LRUCache<string, Slot<Value>>;

/**
 * A cache that several owners (shops) share, bounded by size and fair: each owner has a share, and when all entries
 * together are too large, the owner of the largest share loses its least recently used entry. One owner's traffic
 * cannot evict the others' entries.
 */
export class FairCache<Value> {
  readonly #options: FairCacheOptions;
  /** Entries that any owner may use. */
  readonly #common = new Map<string, Entry<Value>>();
  readonly #shares = new Map<string, Share<Value>>();
  #size = 0;

  constructor(options: FairCacheOptions) {
    this.#options = options;
  }

  /** The size of all entries, including keys that were offered once. */
  get size(): number {
    return this.#size;
  }

  /** Reads a common value, for a use that belongs to no owner. */
  peek(key: string): Value | undefined {
    return this.#common.get(key)?.value;
  }

  /** Reads a value and records that the owner uses it. */
  get(owner: string, key: string): Value | undefined {
    const held = this.#shares.get(owner)?.get(key);
    if (held !== undefined && held !== offeredOnce) return held.value;
    const entry = this.#common.get(key);
    if (entry !== undefined) this.#hold(owner, key, entry);
    return entry?.value;
  }

  /** Whether the owner has offered this key before. Records the offer. */
  isSecondOffer(owner: string, key: string): boolean {
    if (this.#shares.get(owner)?.has(key) === true) return true;
    this.#hold(owner, key, offeredOnce);
    return false;
  }

  /** Stores a value for the owner, unless it is larger than a share may be. */
  set(owner: string, key: string, value: Value, size: number): void {
    this.#forget(key);
    if (size + this.#options.overhead > this.#options.sizePerOwner) return this.#drop(owner, key);
    const entry = { value, size, holders: 0 };
    if (this.#options.isCommon) this.#common.set(key, entry);
    this.#size += size;
    this.#hold(owner, key, entry);
  }

  /** Drops everything that the owner holds. */
  clear(owner: string): void {
    this.#shares.get(owner)?.clear();
    this.#remove(owner);
  }

  #hold(owner: string, key: string, slot: Slot<Value>): void {
    const { totalSize, overhead } = this.#options;
    const share = this.#shares.get(owner) ?? this.#createShare();
    this.#shares.set(owner, share);
    if (slot !== offeredOnce) slot.holders += 1;
    this.#size += overhead;
    share.set(key, slot);
    while (this.#size > totalSize) this.#evictFromLargest();
  }

  #createShare(): Share<Value> {
    const { sizePerOwner, overhead } = this.#options;
    return new LRUCache<string, Slot<Value>>({
      maxSize: sizePerOwner,
      sizeCalculation: (slot) => overhead + (slot === offeredOnce ? 0 : slot.size),
      dispose: (slot, key) => this.#release(slot, key),
    });
  }

  #release(slot: Slot<Value>, key: string): void {
    this.#size -= this.#options.overhead;
    if (slot === offeredOnce) return;
    slot.holders -= 1;
    if (slot.holders > 0) return;
    this.#size -= slot.size;
    if (this.#common.get(key) === slot) this.#common.delete(key);
  }

  /** Visits every share: each has an entry, so there are at most as many as entries of the least size fit. */
  #evictFromLargest(): void {
    let largest: [owner: string, share: Share<Value>] | undefined;
    for (const each of this.#shares) {
      if (largest === undefined || each[1].calculatedSize > largest[1].calculatedSize) largest = each;
    }
    if (largest === undefined) return;
    const [owner, share] = largest;
    share.pop();
    if (share.size === 0) this.#remove(owner);
  }

  #remove(owner: string): void {
    this.#shares.delete(owner);
    this.#options.onEmptied?.(owner);
  }

  /** A value that is replaced is removed from every share that holds it. */
  #forget(key: string): void {
    if (!this.#common.has(key)) return;
    for (const owner of [...this.#shares.keys()]) this.#drop(owner, key);
  }

  #drop(owner: string, key: string): void {
    const share = this.#shares.get(owner);
    if (share?.delete(key) && share.size === 0) this.#remove(owner);
  }
}
