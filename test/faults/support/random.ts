/** Numbers that a seed decides (mulberry32), so that a run can be repeated. */
export function createRandom(seed: number) {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const integer = (minimum: number, maximum: number): number => minimum + Math.floor(next() * (maximum - minimum + 1));
  return {
    /** Both ends included. */
    integer,
    word: (length: number): string => Array.from({ length }, () => String.fromCharCode(97 + integer(0, 25))).join(''),
    shuffled<Item>(items: readonly Item[]): Item[] {
      const all = [...items];
      for (let index = all.length - 1; index > 0; index--) {
        const other = integer(0, index);
        [all[index], all[other]] = [all[other] as Item, all[index] as Item];
      }
      return all;
    },
  };
}
