import { seededNumbers } from '../support/random';

/** Pseudo-random choices that a seed reproduces. */
export class Random {
  /** @returns a number from 0 inclusive to 1 exclusive */
  readonly next: () => number;

  constructor(readonly seed: number) {
    this.next = seededNumbers(seed);
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
