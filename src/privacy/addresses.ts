import { findAddressSpans } from './address-search';
import type { Span } from './address-search';
import { unitTable } from './character-units';

/*
 * Finds e-mail addresses in texts, in any spelling (D25, docs/decisions.md 49). The log and the orders both use this
 * module. The search itself is in address-search.ts. Removing addresses takes at most 0.3 µs of CPU time a character,
 * whatever the text is.
 */

/**
 * Whether a text can contain an address: it has an at sign, an encoding that may represent one, or the word "dot".
 * Almost no text does, and the check takes a nanosecond or two a character. Works on the text of a value and on its
 * JSON.
 */
export function mayHoldAddress(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0x80) {
      const codePoint = code < 0xd800 || code > 0xdbff ? code : (text.codePointAt(index) as number);
      if (isTelling(codePoint)) return true;
      if (codePoint > 0xffff) index += 1;
    } else if (kinds[code] !== plain && isSuspicious(text, index, kinds[code] as number)) return true;
  }
  return false;
}

/** By what an address without an at sign can begin with, in ASCII. */
const plain = 0;
const always = 1;
const encoding = 2;
const escape = 3;
const bracket = 4;
const word = 5;
const kinds = new Uint8Array(128);
kinds.fill(always, 0, 9).fill(always, 14, 0x20);
for (const [units, kind] of [['@\u007f', always], ['%&', encoding], ['\\', escape], ['([{<', bracket], ['dD', word]] as const)
  for (const unit of units) kinds[unit.charCodeAt(0)] = kind; // prettier-ignore

function isSuspicious(text: string, index: number, kind: number): boolean {
  switch (kind) {
    case encoding:
      return index + 1 < text.length && !' \t\n\v\f\r",;'.includes(text.charAt(index + 1));
    // The JSON of an honest text has these escapes only.
    case escape:
      return index + 1 < text.length && !'"nrtf/'.includes(text.charAt(index + 1));
    case bracket:
      return isWord(text, skipBlanks(text, index + 1), 'at');
    // Not only whole words: a letter before this one may belong to an escape of JSON, `\ndot`.
    case word:
      return isWord(text, index, 'dot') && !/\w/.test(text.charAt(index + 3));
    default:
      return true;
  }
}

const isWord = (text: string, index: number, word: string): boolean =>
  text.slice(index, index + word.length).toLowerCase() === word;

/** White space, also as escapes of JSON. */
function skipBlanks(text: string, from: number): number {
  for (let index = from; ;) {
    if (/[\s\u0085]/.test(text.charAt(index))) index += 1;
    else if (text.charAt(index) === '\\' && 'nrtf'.includes(text.charAt(index + 1) || ' ')) index += 2;
    else return index;
  }
}

/** Whether a character outside ASCII can be part of an address that shows no at sign, by its units. */
function isTelling(codePoint: number): boolean {
  const { values, isTelling } = unitTable();
  return isTelling[values[codePoint] as number] as boolean;
}

export const holdsAddress = (text: string): boolean => mayHoldAddress(text) && findAddressSpans(text, 1).length > 0;

/** The text with every address replaced. For texts that are shown or logged, such as the value in an error message. */
export function maskAddresses(text: string, mask = addressMask): string {
  return mayHoldAddress(text) ? cutOut(text, findAddressSpans(text), mask) : text;
}
export const addressMask = '[e-mail address]';

/**
 * The text without its addresses and without the brackets, quotes and separators around them. Returns null when no
 * letter or digit remains. A text without addresses is returned unchanged.
 */
export function removeAddresses(text: string): string | null {
  let rest = text;
  for (let round = 0; round < maxRounds; round += 1) {
    const addresses = mayHoldAddress(rest) ? findAddressSpans(rest) : [];
    if (addresses.length === 0) return rest === text || /[\p{L}\p{N}]/u.test(rest) ? rest : null;
    rest = tidy(cutOut(rest, addresses, ' '));
  }
  return null;
}

/** The text on both sides of a removed address may form an address itself. No honest text needs a third round. */
const maxRounds = 3;

const tidy = (text: string): string =>
  withoutQuotes(trimSeparators(text.replace(/\s+/g, ' ').replace(/[(<[] ?[)>\]]/g, '')));

function cutOut(text: string, spans: readonly Span[], replacement: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    parts.push(text.slice(from, start), replacement);
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

const separators = /[\s,;:|/<>–—-]/;

/** A loop, because a pattern anchored at the end of the text tries every position before it. */
function trimSeparators(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && separators.test(text.charAt(start))) start += 1;
  while (end > start && separators.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const withoutQuotes = (text: string): string => /^"[^"]*"$/.exec(text)?.[0].slice(1, -1).trim() ?? text;
