import type { SourceLocation } from './import-error';

/**
 * The words into which spreadsheet programs translate TRUE and FALSE when they save a file in their user's language.
 */
const words: readonly (readonly [yes: string, no: string])[] = [
  ['true', 'false'],
  ['wahr', 'falsch'],
  ['vrai', 'faux'],
  ['vero', 'falso'],
  ['verdadero', 'falso'],
  ['verdadeiro', 'falso'],
  ['waar', 'onwaar'],
  ['sand', 'falsk'],
  ['sann', 'usann'],
  ['sant', 'falskt'],
  ['tosi', 'epätosi'],
  ['prawda', 'fałsz'],
  ['pravda', 'nepravda'],
  ['igaz', 'hamis'],
  ['adevărat', 'fals'],
  ['doğru', 'yanliş'],
  ['doğru', 'yanlış'],
  ['истина', 'ложь'],
];

const values = new Map(words.flatMap(([yes, no]): [string, boolean][] => [[yes, true], [no, false]])); // prettier-ignore

/** @throws ImportError for other words */
export function requireBoolean(word: string, location: SourceLocation, expected = 'true or false'): boolean {
  const value = parseBoolean(word);
  if (value === undefined) throw location.refuse(word, expected);
  return value;
}

/** A boolean as spreadsheets of any language write it; undefined for other words. */
export const parseBoolean = (text: string): boolean | undefined => values.get(text.normalize('NFC').toLowerCase());
