import { nearest } from '../common/nearest';

/** At most two wrong letters in a long name and one in a short name, where two would make another word. */
const longestDistance = (setting: string): number => (setting.length < 8 ? 1 : 2);

/** Variables of systems and shells whose names are as close to a setting as a typing error. */
const unrelated = new Set(['HOSTS', 'POST', 'COST', 'SORT', 'PORTS']);

/** Warnings about variables whose names are close to those of unset settings. */
export function findMisspelledSettings(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): string[] {
  const known = new Set(settings);
  const unset = settings.filter((name) => !environment[name]); // empty counts as absent
  return Object.keys(environment)
    .filter((name) => /^\w{3,64}$/.test(name) && !known.has(name) && !unrelated.has(name))
    .flatMap((name) => {
      const meant = nearest(name, unset, longestDistance);
      return meant === undefined ? [] : [`${name} is not a setting and has no effect. Did you mean ${meant}?`];
    });
}
