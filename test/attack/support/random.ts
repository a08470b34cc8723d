/** Pseudo-random choices that a seed repeats. Not for secrets. */
export interface Random {
  /** From `least` to `most`, both included. */
  integer(least: number, most: number): number;
  pick<Item>(items: readonly Item[]): Item;
  chance(probability: number): boolean;
  /** Lowercase letters, starting with one. */
  word(length: number): string;
  /** So many items, made one after the other. */
  list<Item>(count: number, make: (index: number) => Item): Item[];
}

/** The generator mulberry32: 32 bits of state are enough to vary attacks. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  const list = <Item>(count: number, make: (index: number) => Item) => Array.from({ length: count }, (_, i) => make(i));
  return {
    integer,
    list,
    pick: (items) => items[integer(0, items.length - 1)] as (typeof items)[number],
    chance: (probability) => next() < probability,
    word: (length) => list(length, () => String.fromCharCode(integer(97, 122))).join(''),
  };
}

/** A seed of its own for each attack, so that one attack alone repeats what it sent in a whole run. */
export function deriveSeed(seed: number, name: string): number {
  let hash = seed >>> 0;
  for (const unit of name) hash = Math.imul(hash ^ unit.charCodeAt(0), 0x01000193) >>> 0;
  return hash;
}
