import { decodeEntities } from '../../common/html-entities';
import type { SourceLocation } from '../values/import-error';
import { checkIndexedText, toParts } from '../values/text';
import { parseTimestamp } from '../values/timestamp';
import { computed, type Rule, type Values } from './rules';

/**
 * The value of a cell. The exporter prefixes an apostrophe to values that a spreadsheet could take for a formula; some
 * derived exporters also append one.
 */
export function unescapeCell(cell: string): string {
  if (!/^'[=+\-@\t\r]/.test(cell)) return cell;
  return cell.length > 2 && cell.endsWith("'") ? cell.slice(1, -1) : cell.slice(1);
}

/** Descriptions contain line ends as `\n`, and `\n` as `\\n`. */
export const unescapeLineEnds = (text: string): string =>
  text.replace(/\\\\n|\\n/g, (found) => (found === '\\n' ? '\n' : '\\n'));

/** The parts of a comma-separated list; a comma within a part is written as `\,`. Names are HTML. */
export const splitList = (list: string, at: SourceLocation): string[] => {
  const parts = toParts(list, /(?<!\\),/, at).map((part) => part.replaceAll('\\,', ',').trim());
  return [...new Set(parts.filter((part) => part !== ''))];
};

export const toNames = (list: string, at: SourceLocation): string[] =>
  splitList(list, at).map((name) => checkIndexedText(decodeEntities(name), at));

/** The parts of `Clothing > Hoodies`. */
export const toCategoryPath = (category: string): readonly string[] =>
  category
    .split('>')
    .map((part) => decodeEntities(part.trim()))
    .filter((part) => part !== '');

/** A timestamp of WooCommerce's REST API: members whose name ends in `_gmt` are UTC without a zone designator. */
export const gmt = (name: string): Rule<Values, string | null> =>
  computed([name], (values: Values) => values.parsed(name, (text, location) => parseTimestamp(toUtc(text), location)));

export const toUtc = (text: string): string => (/T[\d:.]+$/.test(text) ? `${text}Z` : text);

/** A template such as `%%title%% %%sep%%` is not a title. */
export const withoutVariables = (text: string | null): string | null =>
  text === null || /%%\w+%%|%\w+(?:\([^)]*\))?%/.test(text) ? null : text;
