/** People do not type longer names. */
const maxLength = 64;

/**
 * The name that a misspelled word probably means: the nearest of those that are near enough.
 * @param most the greatest distance allowed for a name, in typing errors
 */
export function nearest(word: string, names: Iterable<string>, most: (name: string) => number): string | undefined {
  let found: { readonly name: string; readonly far: number } | undefined;
  for (const name of names) {
    const limit = Math.min(most(name), (found?.far ?? Infinity) - 1);
    if (name.length > maxLength || Math.abs(name.length - word.length) > limit) continue;
    const far = distance(word.toLowerCase(), name.toLowerCase());
    if (far <= limit) found = { name, far };
  }
  return found?.name;
}

/** Letters to insert, remove, replace or swap with their neighbor (optimal string alignment). */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + (isSame ? 0 : 1),
        isSwap ? (before[j - 2] as number) + 1 : Infinity,
      );
    }
    [before, last] = [last, row];
  }
  return last[to.length] as number;
}
