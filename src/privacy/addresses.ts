import topLevelDomains from 'tlds';
import { foldCharacter, maxNesting, toCanonicalText } from './canonical-text';

/*
 * Finds e-mail addresses in texts, in any spelling (D25, docs/decisions.md 49), for the log and for orders. A plainly
 * written address is cut out of its text. If an address appears only in the canonical spelling, the whole text is
 * removed. Both take at most 0.5 µs of CPU time per character, for any text.
 *
 * An address is a local part (atoms, or quoted), an at sign, and a domain: with a dot and a last label that begins with
 * a letter, or an IP address, or `localhost`, or any name inside `<…>` or after `mailto:`. So `@home`, `3 @ 5.50` and
 * `AC@DC` are not addresses. Where white space is beside the at sign (`Abholung @ St.Gallen`) or all other labels are
 * numbers (`lib@3.x`), the last label must be a top-level domain that exists.
 */

export const addressMask = '[e-mail address]';

/** The text with every address replaced. For texts that are shown or logged, such as the value in an error message. */
export function maskAddresses(text: string): string {
  if (!mayHoldAddress(text)) return text;
  const masked = replaceWritten(text, addressMask);
  if (!holdsAddress(masked)) return masked;
  // If a message quotes the address, the rest of it is kept.
  const unquoted = masked.replaceAll(/"[^"]*"|`[^`]*`/g, (quoted) => (holdsAddress(quoted) ? addressMask : quoted));
  return holdsAddress(unquoted) ? addressMask : unquoted;
}

/** Longer messages are cut off: they quote what a client sent, and searching it takes time. */
const longestMessage = 2_000;

/** The same for a message to a client. */
export const maskMessage = (text: string): string =>
  maskAddresses(text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text);

/**
 * The text without its addresses and without the brackets, quotes and separators around them. Returns null when no
 * letter or digit remains. A text without addresses is returned unchanged.
 */
export function removeAddresses(text: string): string | null {
  if (!mayHoldAddress(text)) return text;
  const cut = replaceWritten(text, ' ');
  const rest = cut === text ? text : tidy(cut);
  return holdsAddress(rest) || (rest !== text && !/[\p{L}\p{N}]/u.test(rest)) ? null : rest;
}

export function holdsAddress(text: string): boolean {
  if (!mayHoldAddress(text)) return false;
  let rest = toCanonicalText(text);
  if (rest?.includes(' dot ') === true) rest = rest.replaceAll(atInWords, '@').replaceAll(dotInWords, '.');
  if (rest?.includes('@') === false) return false;
  for (let round = 0; rest !== undefined && round < maxNesting; round += 1) {
    if (hasAddress(rest)) return true;
    const marked: string = rest.replaceAll(commentOrTag, gap);
    if (marked === rest) return false;
    rest = marked.replaceAll(gapElsewhere, '');
  }
  return true;
}

/** Marks a removed comment or tag, which may be the only evidence of a local part. */
const gap = '\x01';
const gapElsewhere = new RegExp(`${gap}+(?![)\\]}>\\\\ ${gap}]*@)`, 'g');
const commentOrTag = /<[a-z/!][^<>@]*>|\([^()]*\)/g;

/**
 * Characters of a local part and of a label: includes all outside ASCII, because canonical text has only ASCII
 * delimiters.
 */
const local = '[^\\s\\0-\\x1f"(),:;<>@[\\\\\\]\\x7f]';
const label = '[^\\s\\0-,./:-@[-^`{-\\x7f]';
/** Top-level domains that are accepted even after a dot and a space, where otherwise a new sentence begins. */
const common =
  '(?:com|net|org|info|biz|edu|gov|io|co|eu|de|at|ch|fr|it|es|nl|be|pl|se|dk|no|fi|uk|us|ca|au|jp|cn|ru|br|example|test)';
const isCommon = new RegExp(`^${common}$`);

/**
 * `bob at example dot com`. "look at the dot now" is no address, so both words and a common top-level domain are
 * required.
 */
const dottedWords = `(?=(?:${label}{1,63} dot ){0,7}${common}(?!${label}))`;
const dotInWords = new RegExp(` dot ${dottedWords}`, 'g');
const atInWords = new RegExp(` at (?=${label}{1,63} dot )${dottedWords}`, 'g');

/**
 * Characters beside an at sign that a reader would overlook, although no valid address has them. Bounded, so that the
 * search stays linear.
 */
const localPart = `(?:${local}+|"[^"]{0,64}"|\\x01)[)\\]}>\\\\ @\\x01]{0,16}`;
const beforeDomain = '[([{<"\'\\\\. ]{0,16}';
const separator = `(?: \\.[. ]*|\\.+(?: (?=${common}(?!${label})))?)`;
const ipLiteral = '\\[ ?(?=[\\w.:]{2,60} ?\\])(?:ipv6:|[\\w.:]*::|(?:\\w*\\.){3}|(?:[\\w.]*:){3})';
/** Looks back no further than the at sign before. */
const address = new RegExp(
  `@(?<=${localPart.replace('+', '')}@)(?:${beforeDomain}(?:(${label}+(?:${separator}${label}+)+)|${label}*localhost(?!${label}|\\.))| ?${ipLiteral})`,
  'g',
);
const hostAlone = new RegExp(`mailto:${localPart}@${beforeDomain}${label}|<${localPart}@${beforeDomain}${label}+ ?>`);

function hasAddress(canonical: string): boolean {
  if (hostAlone.test(canonical)) return true;
  address.lastIndex = 0;
  for (let found = address.exec(canonical); found !== null; found = address.exec(canonical)) {
    const [text, domain] = found;
    if (domain === undefined || isDomain(domain, text[1] === ' ' || canonical[found.index - 1] === ' ')) return true;
  }
  return false;
}

const reservedTopLevels = ['example', 'test', 'invalid', 'localhost', 'local', 'internal']; // RFC 2606, RFC 6762
const topLevels = new Set([...topLevelDomains, ...reservedTopLevels]);
/** Punycode encodes a name in another script; ordinary text does not contain it. */
const exists = (name: string): boolean => name.startsWith('xn--') || topLevels.has(name.normalize('NFC'));

/**
 * Whether the labels form a domain. After white space and numbers (`2 @ 5.st`), only common top-level domains count.
 */
function isDomain(text: string, isApart: boolean): boolean {
  const labels = text.split(/ ?\.[. ]*/);
  let isNumeric = true;
  return labels.some((name, index) => {
    const isBehindNumbers = isNumeric;
    isNumeric &&= /^\d+$/.test(name);
    if (isNumeric) return index === 3 && labels.slice(0, 4).every((number) => number.length <= 3);
    if (index === 0 || !/^\p{L}/u.test(name)) return false;
    return isApart && isBehindNumbers ? isCommon.test(name) : !(isApart || isBehindNumbers) || exists(name);
  });
}

/**
 * Matches plainly written addresses. Only white space, or punctuation that cannot be part of an address, precedes a
 * match, so each character is tried once. Before `%40` for the at sign, URL syntax counts as well.
 */
const written = new RegExp(
  `(?:(?<![^\\s<([,:"])(?:mailto:)?(?:(?:${local}+|"[^"@]{1,64}")@)+|(?<![^\\s<([,;:"/?&=])[\\w.+-]+%40)` +
    `(${label}+(?:\\.${label}+)+)(?=\\.?(?:$|[\\s<>()[\\],;:"'\`!?/]|&\\w+=))`,
  'gi',
);

const replaceWritten = (text: string, replacement: string): string =>
  text.replaceAll(written, (found, domain: string) =>
    isDomain(domain.toLowerCase(), false) && /^[!-~\p{L}\p{N}]/u.test(found)
      ? (/^['`]/.exec(found)?.[0] ?? '') + replacement
      : found,
  );

const tidy = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[(<["] ?[)>\]"]/g, '')
    .replace(/^[\s,;:|/<>–—-]+/, '')
    .replace(/(?<![\s,;:|/<>–—-])[\s,;:|/<>–—-]+$/, '')
    .replace(/^"([^"]*)"$/, '$1')
    .trim();

/**
 * Whether a text can contain an address: it has an at sign, an encoding that may represent one, or the word "dot".
 * Almost no text does, and the check takes a nanosecond or two per character. Works on the text of a value and on its
 * JSON.
 */
export function mayHoldAddress(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0x80) {
      const codePoint = text.codePointAt(index) as number;
      if ((spelling[codePoint] ||= maySpellAddress(String.fromCodePoint(codePoint)) ? 1 : 2) === 1) return true;
      if (codePoint > 0xffff) index += 1;
    } else if (kinds[code] !== 0 && (kinds[code] === 1 || isSuspicious(text, index))) return true;
  }
  return false;
}

/** By code: 1 if always suspicious, 2 if that depends on the characters after it. */
const kinds = new Uint8Array(128).fill(1, 0, 9).fill(1, 14, 0x20);
for (const unit of '@\x7f%&\\([{<dD') kinds[unit.charCodeAt(0)] = unit === '@' || unit === '\x7f' ? 1 : 2;

/** Excludes escapes that are common in JSON. */
const beginning = /[%&](?=[^\s",;])|\\(?=[^"nrtf/])|[([{<](?:[\s\x85]|\\[nrtf])*at|dot(?!\w)/iy;

function isSuspicious(text: string, index: number): boolean {
  beginning.lastIndex = index;
  return beginning.test(text);
}

/** By code point: 1 if it may be part of an address without an ASCII at sign, 2 if not, 0 if not known yet. */
const spelling = new Uint8Array(0x110000);
const maySpellAddress = (character: string): boolean => /^$|[atdo@%&\\([{<]/.test(foldCharacter(character));
