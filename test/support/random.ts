/** Pseudo-random choices that a seed repeats. Not for secrets. */
export interface Random {
  /** From `least` to `most`, both included. */
  integer(least: number, most: number): number;
  pick<Item>(items: readonly Item[]): Item;
  chance(probability: number): boolean;
  /** Lowercase letters, starting with one. */
  word(length: number): string;
  /** That many items, made sequentially. */
  list<Item>(count: number, make: (index: number) => Item): Item[];
  /** The same items in random order. */
  shuffled<Item>(items: readonly Item[]): Item[];
}

/**
 * The generator mulberry32: 32 bits of state are enough to vary inputs. @returns a function whose values are from 0 to
 * below 1
 */
export function seededNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function createRandom(seed: number): Random {
  const next = seededNumbers(seed);
  const integer = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  const list = <Item>(count: number, make: (index: number) => Item) => Array.from({ length: count }, (_, i) => make(i));
  return {
    integer,
    list,
    pick: (items) => items[integer(0, items.length - 1)] as (typeof items)[number],
    chance: (probability) => next() < probability,
    shuffled: (items) => {
      const all = [...items];
      for (let index = all.length - 1; index > 0; index -= 1) {
        const other = integer(0, index);
        [all[index], all[other]] = [all[other] as (typeof all)[number], all[index] as (typeof all)[number]];
      }
      return all;
    },
    word: (length) => list(length, () => String.fromCharCode(integer(97, 122))).join(''),
  };
}

/** A separate seed for each attack, so that one attack alone repeats what it sent in a whole run. */
export function deriveSeed(seed: number, name: string): number {
  let hash = seed >>> 0;
  for (const unit of name) hash = Math.imul(hash ^ unit.charCodeAt(0), 0x01000193) >>> 0;
  return hash;
}
