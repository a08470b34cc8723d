/** Pseudo-random choices that a seed repeats (mulberry32). */
export class Random {
  #state: number;

  constructor(readonly seed: number) {
    this.#state = seed >>> 0;
  }

  /** @returns a number from 0 inclusive to 1 exclusive */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** @returns an integer from 0 inclusive to `count` exclusive */
  integer(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** True in one of `count` cases. */
  oneIn(count: number): boolean {
    return this.integer(count) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.integer(items.length)] as Item;
  }

  /** Between one and `most` different items, in random order. */
  some<Item>(items: readonly Item[], most: number): Item[] {
    const left = [...items];
    return Array.from(
      { length: Math.min(1 + this.integer(most), items.length) },
      () => left.splice(this.integer(left.length), 1)[0] as Item,
    );
  }
}
