import type { SourceLocation } from './import-error';

/** Rejects characters that PostgreSQL cannot store: NUL and unpaired surrogates. */
export function checkText(text: string, location: SourceLocation): string {
  if (text.includes('\0')) throw location.fault('contains a NUL character, which the database cannot store');
  if (/\p{Surrogate}/u.test(text)) throw location.fault('contains an unpaired surrogate (\\ud800 to \\udfff)');
  return text;
}

/** Indexed columns must fit in a B-tree entry, a third of a page. */
const maxIndexedBytes = 2000;

/** Text of an indexed column. */
export function checkIndexedText(text: string, location: SourceLocation): string {
  if (text.length * 3 > maxIndexedBytes && Buffer.byteLength(text) > maxIndexedBytes) {
    throw location.fault(`is longer than ${maxIndexedBytes} bytes`);
  }
  return text;
}

/** ISO 4217, as the database requires. */
export function checkCurrency(text: string, location: SourceLocation): string {
  if (!/^[A-Z]{3}$/.test(text)) throw location.refuse(text, 'a three-letter uppercase currency code such as EUR');
  return text;
}

export const isBlank = (text: string): boolean => text.trim() === '';

/** Ten times the longest list that is stored: each part takes many times its bytes while it is read. */
const maxParts = 10_000;

/** The parts of a list in a cell, trimmed. */
export function toParts(list: string, separator: string | RegExp, location: SourceLocation): string[] {
  const parts = list.split(separator, maxParts + 1);
  if (parts.length > maxParts) throw location.fault(`expected at most ${maxParts} list items, got more`);
  return parts.map((part) => part.trim());
}

/** The parts of a comma-separated list, trimmed, without blanks and duplicates. */
export const toTags = (list: string, location: SourceLocation): string[] => {
  const parts = toParts(list, ',', location);
  return [...new Set(parts.filter((part) => part !== ''))].map((tag) => checkIndexedText(tag, location));
};
