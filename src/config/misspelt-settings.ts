/** Up to two letters wrong in a long name, and one in a short one, where two make another word. */
const longestDistance = (setting: string): number => (setting.length < 8 ? 1 : 2);

/** Variables of systems and shells that are as close to a setting as a slip would be. */
const ofOthers = new Set(['HOSTS', 'POST', 'COST', 'SORT', 'PORTS']);

export interface MisspeltSetting {
  readonly name: string;
  readonly meant: string;
}

/** Finds variables that are no settings, and that differ from one that is not set by so little that it was meant. */
export function findMisspeltSettings(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): MisspeltSetting[] {
  const known = new Set(settings);
  const unset = settings.filter((name) => environment[name] === undefined);
  return Object.keys(environment)
    .filter((name) => /^\w{3,64}$/.test(name) && !known.has(name) && !ofOthers.has(name))
    .flatMap((name) => {
      const meant = unset.find((setting) => distance(name.toUpperCase(), setting) <= longestDistance(setting));
      return meant === undefined ? [] : [{ name, meant }];
    });
}

/** Letters to insert, remove, replace or swap with their neighbour (optimal string alignment). */
function distance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 2) return Infinity;
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
