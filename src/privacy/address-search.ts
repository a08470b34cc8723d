import topLevelDomains from 'tlds';
import type { CanonicalText } from './canonical-text';
import { toCanonicalText } from './canonical-text';

/*
 * An address is a local part (atoms, or quoted), an at sign, and a domain: with a dot and a last label that begins with
 * a letter, or an IP address, or `localhost`, or any name inside `<…>` or after `mailto:`. White space and comments may
 * surround the at sign. So `@home`, `3 @ 5.50` and `AC@DC` are not addresses. Where white space is beside the at sign
 * (`Abholung @ St.Gallen`) or all other labels are numbers (`lib@3.x`), the last label must be a top-level domain that
 * exists.
 *
 * The search scans the canonical spelling of the text once (canonical-text.ts). No at sign looks back beyond the one
 * before it, so malicious text takes linear time. It reads codes and creates no strings, so that this is a few
 * nanoseconds a character.
 */

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns the spans of the addresses in a text, in order, or of the first ones. */
export function findAddressSpans(original: string, limit = Infinity): readonly Span[] {
  const canonical = toCanonicalText(original);
  return searchCanonicalText(original, canonical, limit).map(({ start, end }) => ({
    start: canonical.starts[start] as number,
    end: canonical.ends[end - 1] as number,
  }));
}

/** Returns the spans of the addresses in its units. Separate, so that a test can count how often they are read. */
export const searchCanonicalText = (original: string, canonical: CanonicalText, limit = Infinity): readonly Span[] =>
  new AddressSearch(original, canonical).find(limit);

const codeOf = (unit: string): number => unit.charCodeAt(0);
const at = codeOf('@');
const blank = codeOf(' ');
const quote = codeOf('"');
const backslash = codeOf('\\');
const dot = codeOf('.');
const openParenthesis = codeOf('(');
const closeParenthesis = codeOf(')');
const openTag = codeOf('<');
const closeTag = codeOf('>');
const openLiteral = codeOf('[');
const closeLiteral = codeOf(']');

/** What a unit can be part of. */
const inLocalPart = 1;
const inLabel = 2;
const inUrlSyntax = 4;
/**
 * Characters directly beside an at sign that no valid address has there: `bob@@example.com`, `[bob]@example.com`,
 * `bob@"example.com"`. A reader passes over them. At most `maxStray`, so that the search stays linear.
 */
const strayBehindLocalPart = 8;
const strayBeforeDomain = 16;
const maxStray = 16;
const inLiteral = 32;
const isLetter = 64;
const isDigit = 128;
const uses = new Uint8Array(256);
for (const [units, use] of [
  ['abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', inLocalPart | inLabel | inLiteral | isLetter],
  ['0123456789', inLocalPart | inLabel | inLiteral | isDigit],
  ['-_', inLocalPart | inLabel],
  ["!#$%'*+^`{|}~.", inLocalPart],
  ['/?&=', inLocalPart | inUrlSyntax],
  [')]}>\\@', strayBehindLocalPart],
  ['([{<"\'\\.', strayBeforeDomain],
  ['.:', inLiteral],
] as const)
  for (const unit of units) uses[codeOf(unit)] = (uses[codeOf(unit)] as number) | use;

const lower = (unit: number | undefined): number =>
  unit !== undefined && unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : (unit ?? 0);

/** Top-level domains that are accepted even after a dot and a space, where otherwise a new sentence begins. */
const commonTopLevels = new Set(
  'com net org info biz edu gov io co eu de at ch fr it es nl be pl se dk no fi uk us ca au jp cn ru br example test'.split(' '),
); // prettier-ignore

/** Also those that are reserved for examples and private networks (RFC 2606, RFC 6762). */
const reservedTopLevels = ['example', 'test', 'invalid', 'localhost', 'local', 'internal'];
const inCanonicalSpelling = topLevelDomains
  .filter((name) => /[a-z]/.test(name))
  .map((name) => name.replaceAll(/[^a-z]/g, 'x'));
/**
 * Top-level domains that exist, as they are spelled and, where some of their letters are ASCII, in canonical spelling.
 */
const topLevels = new Set([...topLevelDomains, ...inCanonicalSpelling, ...reservedTopLevels]);

const maxTopLevel = Math.max(...topLevelDomains.map((name) => name.length));
/** Of a label (RFC 1035, 2.3.4). */
const maxLabel = 63;

/** Positions are indices of the canonical text. */
class AddressSearch {
  readonly #original: string;
  readonly #canonical: CanonicalText;
  readonly #units: Uint8Array;
  readonly #length: number;
  /** Maps the position of a bracket to that of its partner: comments in parentheses, and tags; −1 for all others. */
  readonly #partners: Int32Array;
  /** The end of the last address found. */
  #floor = 0;
  /** Set by `#skipBack`. */
  #hasPassedComment = false;

  constructor(original: string, canonical: CanonicalText) {
    this.#original = original;
    this.#canonical = canonical;
    this.#units = canonical.units;
    this.#length = canonical.length;
    this.#partners = findPartners(canonical);
  }

  find(limit: number): readonly Span[] {
    const spans: Span[] = [];
    for (let position = 0; position < this.#length && spans.length < limit; position += 1) {
      const unit = this.#units[position];
      if (unit !== at && unit !== blank) continue;
      const span =
        unit === at
          ? this.#addressAround(position)
          : this.#isAtWord(position)
            ? this.#wordsAround(position)
            : undefined;
      if (span === undefined) continue;
      spans.push(span);
      this.#floor = span.end;
      position = span.end - 1;
    }
    return spans;
  }

  #at(position: number): number {
    return position < this.#length ? (this.#units[position] as number) : 0;
  }

  #has(position: number, use: number): boolean {
    return position >= 0 && position < this.#length && ((uses[this.#units[position] as number] as number) & use) !== 0;
  }

  /** Whether the units in lower case are these, which are ASCII. */
  #isText(position: number, text: string): boolean {
    if (position < this.#floor || position + text.length > this.#length) return false;
    for (let index = 0; index < text.length; index += 1)
      if (lower(this.#units[position + index]) !== text.charCodeAt(index)) return false;
    return true;
  }

  #isAtWord(position: number): boolean {
    return this.#isText(position, ' at ');
  }

  #text(start: number, end: number): string {
    let text = '';
    for (let position = start; position < end; position += 1) text += String.fromCharCode(lower(this.#units[position]));
    return text;
  }

  #addressAround(position: number): Span | undefined {
    const start = this.#localPartStart(position);
    if (start === undefined) return undefined;
    const end = this.#domainEnd(position, start);
    if (end === undefined) return undefined;
    const wrapped = this.#withWrapping(this.#chainStart(start), this.#chainEnd(end));
    return { start: wrapped.start, end: this.#chainEnd(wrapped.end) };
  }

  #localPartStart(position: number): number | undefined {
    const isUrl = this.#canonical.isPercentEncoded[position] === 1;
    const lowest = Math.max(this.#floor, position - maxStray);
    for (let end = position; ; end -= 1) {
      const isStray = end > lowest && this.#has(end - 1, strayBehindLocalPart);
      // A stray character is part of no word, and only a bracket with a partner ends a comment.
      const mayEndWord = !isStray || this.#partners[end - 1] !== -1 || this.#has(end - 1, inLocalPart);
      const start = mayEndWord ? this.#localPartStartBefore(end, isUrl) : undefined;
      if (start !== undefined || !isStray) return start;
    }
  }

  #localPartStartBefore(from: number, isUrl: boolean): number | undefined {
    this.#hasPassedComment = false;
    let position = this.#skipBack(from, true);
    // A local part may consist of a comment alone. That is not a valid address, but it is treated as one.
    let start = this.#hasPassedComment ? position : undefined;
    for (;;) {
      const wordStart = this.#wordStart(position, isUrl);
      if (wordStart === position) return start;
      start = wordStart;
      position = this.#skipBack(wordStart, false);
      if (position === wordStart) return start;
    }
  }

  /** The start of the atoms and quoted words, joined by dots, that end at `end`. */
  #wordStart(end: number, isUrl: boolean): number {
    let start = end;
    for (let hasMore = true; hasMore && start > this.#floor;) {
      if (this.#units[start - 1] === quote) {
        start = this.#openingQuote(start - 1);
        hasMore = this.#at(start - 1) === dot && start > 0;
      } else {
        while (start > this.#floor && this.#isLocal(start - 1, isUrl)) start -= 1;
        hasMore = this.#at(start) === dot && start > 0 && this.#units[start - 1] === quote;
      }
    }
    return start;
  }

  #isLocal(position: number, isUrl = false): boolean {
    return this.#has(position, inLocalPart) && !(isUrl && this.#has(position, inUrlSyntax));
  }

  /** A local part has at most 64 characters (RFC 5321, 4.5.3.1.1): a quote further away belongs to something else. */
  #openingQuote(closing: number): number {
    const lowest = Math.max(this.#floor, closing - 66);
    for (let position = closing - 1; position >= lowest; position -= 1) {
      if (this.#units[position] === quote && (position === 0 || this.#units[position - 1] !== backslash))
        return position;
    }
    return closing;
  }

  #domainEnd(position: number, start: number): number | undefined {
    let from = this.#skip(position + 1, true);
    if (this.#at(from) === openLiteral) {
      const literalEnd = this.#literalEnd(from);
      if (literalEnd !== undefined) return literalEnd;
    }
    if (from === position + 1) {
      while (from <= position + maxStray && this.#has(from, strayBeforeDomain)) from += 1;
    }
    const isApart = (position > 0 && this.#at(position - 1) === blank) || this.#at(position + 1) === blank;
    let labels = 0;
    let numbers = 0;
    let shortNumbers = 0;
    let end: number | undefined;
    for (let labelStart = from; ;) {
      const labelEnd = this.#labelEnd(labelStart);
      if (labelEnd === labelStart) break;
      const isBehindNumbers = numbers === labels;
      labels += 1;
      if (this.#isNumber(labelStart, labelEnd)) {
        numbers += 1;
        if (labelEnd - labelStart <= 3) shortNumbers += 1;
      }
      const isDomain = this.#has(labelStart, isLetter)
        ? labels > 1 && this.#isTopLevel(labelStart, labelEnd, isApart, isBehindNumbers)
        : labels === 4 && shortNumbers === 4;
      if (isDomain) end = labelEnd;
      const next = this.#nextLabel(labelEnd, end !== undefined);
      if (next === undefined)
        return end ?? (labels === 1 && this.#isNameOfHost(start, labelEnd) ? labelEnd : undefined);
      labelStart = next;
    }
    return end;
  }

  #labelEnd(start: number): number {
    let end = start;
    while (this.#has(end, inLabel)) end += 1;
    return end;
  }

  #isNumber(start: number, end: number): boolean {
    for (let position = start; position < end; position += 1) if (!this.#has(position, isDigit)) return false;
    return true;
  }

  /**
   * Whether a label can be the last of a domain. Directly beside the at sign any can, but behind numbers alone (`3.x`)
   * it must exist; with white space it must exist, and behind numbers alone (`2 @ 5.st`) be a common one (`163.com`).
   */
  #isTopLevel(start: number, end: number, isApart: boolean, isBehindNumbers: boolean): boolean {
    if (!isApart && !isBehindNumbers) return true;
    return isApart && isBehindNumbers ? this.#isCommonTopLevel(start) : this.#exists(start, end);
  }

  /**
   * Whether a label is a top-level domain that exists. Letters outside ASCII are all the same in the canonical text:
   * such a label is looked up as it is in the original, and one that is encoded there counts, because honest texts
   * have none.
   */
  #exists(start: number, end: number): boolean {
    // Punycode stands for a name in another script; no honest text has it.
    if (this.#isText(start, 'xn--')) return true;
    if (end - start < 2 || end - start > maxTopLevel) return false;
    if (topLevels.has(this.#text(start, end))) return true;
    const { starts, ends } = this.#canonical;
    const first = starts[start] as number;
    const code = this.#original.charCodeAt(first);
    if (code < 0x80) return encodingSigns.includes(code);
    const spelled = this.#original
      .slice(first, ends[end - 1])
      .normalize('NFKC')
      .toLowerCase();
    return topLevels.has(spelled.replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, ''));
  }

  /**
   * The start of the label after a dot. Comments may surround the dot. White space may, too, unless the preceding
   * labels already form a domain. White space after the dot only is accepted before a well-known top-level domain,
   * because a sentence may end there.
   */
  #nextLabel(position: number, isComplete: boolean): number | undefined {
    if (this.#endOfDottedWords(position, 8) !== undefined) return position + ' dot '.length;
    const isApart = !isComplete && this.#at(position) === blank;
    let next = this.#skip(isApart ? position + 1 : position, false);
    if (this.#at(next) !== dot) return undefined;
    while (this.#at(next) === dot) next += 1;
    next = this.#skip(next, false);
    if (this.#at(next) === blank && !isComplete) {
      if (isApart || this.#isCommonTopLevel(next + 1)) next += 1;
    }
    return this.#has(next, inLabel) ? next : undefined;
  }

  #isCommonTopLevel(start: number): boolean {
    const end = this.#labelEnd(start);
    return end - start <= 7 && commonTopLevels.has(this.#text(start, end));
  }

  /**
   * ` dot example dot com`: the end of up to so many labels in words, of which the last is a well-known top-level
   * domain; undefined when it is not.
   */
  #endOfDottedWords(position: number, max: number): number | undefined {
    let end: number | undefined;
    let start = position;
    let last = position;
    for (let labels = 0; labels < max && this.#isText(start, ' dot '); labels += 1) {
      const labelStart = start + ' dot '.length;
      const labelEnd = this.#labelEnd(labelStart);
      if (labelEnd === labelStart || labelEnd - labelStart > maxLabel) break;
      last = labelStart;
      end = start = labelEnd;
    }
    return end !== undefined && this.#isCommonTopLevel(last) ? end : undefined;
  }

  /** Whether a name without a dot is a domain here: `localhost`, or any name where only an address can appear. */
  #isNameOfHost(start: number, end: number): boolean {
    if (end >= 9 && this.#isText(end - 9, 'localhost')) return true;
    const isInTag = start > 0 && this.#at(start - 1) === openTag && this.#at(end) === closeTag;
    return isInTag || this.#isBehindMailto(start);
  }

  #isBehindMailto(start: number): boolean {
    return this.#isText(start - 7, 'mailto:');
  }

  /** RFC 5321, 4.1.3: `[192.0.2.1]`, `[IPv6:2001:db8::1]`, here also without its prefix. */
  #literalEnd(open: number): number | undefined {
    const start = this.#at(open + 1) === blank ? open + 2 : open + 1;
    let end = start;
    let dots = 0;
    let colons = 0;
    let isDoubled = false;
    for (; end < start + 60 && this.#has(end, inLiteral); end += 1) {
      if (this.#units[end] === dot) dots += 1;
      if (this.#units[end] !== codeOf(':')) continue;
      colons += 1;
      isDoubled ||= this.#units[end - 1] === codeOf(':');
    }
    const close = this.#at(end) === blank ? end + 1 : end;
    if (end - start < 2 || this.#at(close) !== closeLiteral) return undefined;
    return isDoubled || dots === 3 || colons > 2 || this.#isText(start, 'ipv6:') ? close + 1 : undefined;
  }

  /**
   * `bob at example dot com`: requires both words and a well-known top-level domain, because "look at the dot now" is
   * not an address.
   */
  #wordsAround(position: number): Span | undefined {
    let start = position;
    while (start > this.#floor && this.#isLocal(start - 1)) start -= 1;
    if (start === position) return undefined;
    const labelStart = position + ' at '.length;
    const labelEnd = this.#labelEnd(labelStart);
    if (labelEnd === labelStart || labelEnd - labelStart > maxLabel) return undefined;
    const end = this.#endOfDottedWords(labelEnd, 8);
    return end === undefined ? undefined : { start: this.#dottedStart(start), end };
  }

  /** The start of `bob dot b`, whose last word begins at `start`. */
  #dottedStart(start: number): number {
    let from = start;
    while (this.#isText(from - 5, ' dot ')) {
      from -= 5;
      while (from > this.#floor && this.#isLocal(from - 1)) from -= 1;
    }
    return from;
  }

  /** Moves back over one space, comments and tags. */
  #skipBack(from: number, isBesideAt: boolean): number {
    let position = from;
    for (;;) {
      const before = position;
      if (isBesideAt && position > this.#floor && this.#units[position - 1] === blank) position -= 1;
      const open = position > 0 ? (this.#partners[position - 1] as number) : -1;
      if (open !== -1 && open < position - 1 && open >= this.#floor) {
        this.#hasPassedComment ||= this.#units[open] === openParenthesis;
        position = open;
      }
      if (position === before) return position;
    }
  }

  #skip(from: number, isBesideAt: boolean): number {
    let position = from;
    for (;;) {
      const before = position;
      if (isBesideAt && this.#at(position) === blank) position += 1;
      const close = position < this.#length ? (this.#partners[position] as number) : -1;
      if (close > position) position = close + 1;
      if (position === before) return position;
    }
  }

  /** `a@b@c.example` is not a valid address, but no part of it may remain. Scans only what is then removed. */
  #chainStart(start: number): number {
    if (start === 0 || this.#units[start - 1] !== at) return start;
    let from = start;
    while (from > this.#floor && (this.#isLocal(from - 1) || this.#units[from - 1] === at)) from -= 1;
    return from;
  }

  /** The counterpart of `#chainStart`, also after the quotes of `"a@b.example"@c.example`. */
  #chainEnd(end: number): number {
    for (let to = end; ;) {
      const next = this.#skip(to, true);
      if (this.#at(next) !== at) return to;
      const domainEnd = this.#domainEnd(next, next);
      if (domainEnd === undefined && next > to) return to;
      for (to = domainEnd ?? to; this.#isLocal(to) || this.#at(to) === at;) to += 1;
    }
  }

  /** Includes `mailto:` and the brackets or quotes directly around an address. */
  #withWrapping(start: number, end: number): Span {
    let from = this.#isBehindMailto(start) ? start - 7 : start;
    let to = end;
    while (from > this.#floor && to < this.#length && closingOf[this.#units[from - 1] as number] === this.#units[to]) {
      from -= 1;
      to += 1;
    }
    return { start: from, end: to };
  }
}

const encodingSigns = ['%', '&', '\\'].map(codeOf);

/** By unit: what closes it. */
const closingOf: number[] = [];
for (const [open, close] of ['<>', '()', '[]', '""'].map((pair) => [codeOf(pair), pair.charCodeAt(1)] as const))
  closingOf[open] = close;

/**
 * Finds the brackets that enclose a comment (RFC 5322, 3.2.2; they nest) or an HTML tag. A bracket that has a partner
 * and precedes an at sign is skipped, so each is visited once, however deep they nest.
 */
function findPartners({ units, length }: CanonicalText): Int32Array {
  const partners = new Int32Array(length).fill(-1);
  /** The open parentheses, each of which has the place of the one before it for a partner until its own is found. */
  let open = -1;
  let tag = -1;
  for (let position = 0; position < length; position += 1) {
    switch (units[position]) {
      case openParenthesis:
        partners[position] = open;
        open = position;
        break;
      case openTag:
        tag = canBeginTag(units[position + 1] ?? 0, position + 1 < length) ? position : -1;
        break;
      case at:
        tag = -1;
        break;
      case closeTag:
        if (tag !== -1) pair(partners, tag, position);
        tag = -1;
        break;
      case closeParenthesis:
        if (open === -1) break;
        open = pair(partners, open, position);
        break;
      default:
    }
  }
  while (open !== -1) {
    const before = partners[open] as number;
    partners[open] = -1;
    open = before;
  }
  return partners;
}

const canBeginTag = (unit: number, isInText: boolean): boolean =>
  isInText && (((uses[unit] as number) & isLetter) !== 0 || unit === codeOf('/') || unit === codeOf('!'));

/** @returns what the opening one referred to */
function pair(partners: Int32Array, open: number, close: number): number {
  const before = partners[open] as number;
  partners[open] = close;
  partners[close] = open;
  return before;
}
