import { productStatuses, type ColumnKind, type ProductStatus } from '../../catalog/model';
import { parseBoolean } from '../values/boolean';
import { countBounds, parseDecimal, parseWholeNumber, positionBounds, safeBounds } from '../values/numbers';
import type { SourceLocation } from '../values/import-error';
import { checkCurrency, checkIndexedText } from '../values/text';

/** The meanings of words of a cell, by the word in lower case. */
export type Words = ReadonlyMap<string, string>;

type Parse<Value = unknown> = (word: string, location: SourceLocation, words?: Words) => Value;

const whole =
  (bounds: Parameters<typeof parseWholeNumber>[1]): Parse<string> =>
  (word, location) =>
    parseWholeNumber(word, bounds, location);

function parseStatus(word: string, location: SourceLocation, words?: Words): ProductStatus {
  const status = productStatuses.find((known) => known === word.toUpperCase());
  if (status !== undefined) return status;
  throw location.refuse(word, [...(words?.keys() ?? productStatuses)].map((known) => JSON.stringify(known)).join(', '));
}

function parseFlag(word: string, location: SourceLocation): boolean {
  const flag = parseBoolean(word);
  if (flag === undefined) throw location.refuse(word, '"true", "false" or words of the map');
  return flag;
}

/** How a word becomes a value of a kind: a cell, or the text of a map. */
export const parsers = {
  externalId: checkIndexedText,
  indexed: checkIndexedText,
  status: parseStatus,
  currency: checkCurrency,
  flag: parseFlag,
  decimal: parseDecimal,
  count: whole(countBounds),
  quantity: whole(safeBounds),
  position: whole(positionBounds),
} as const satisfies Partial<Record<ColumnKind, Parse>>;

export type ParsedKind = keyof typeof parsers;

/** Those that a file may write with other signs, and with a unit. */
export const isNumber = (kind: ColumnKind): boolean => ['decimal', 'count', 'quantity', 'position'].includes(kind);
