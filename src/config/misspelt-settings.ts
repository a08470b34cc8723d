import { nearest } from '../common/nearest';

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
      const meant = nearest(name, unset, longestDistance);
      return meant === undefined ? [] : [{ name, meant }];
    });
}
