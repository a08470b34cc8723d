import { toCanonicalText } from './canonical-text';

/*
 * Finds e-mail addresses in texts, in any spelling (D25, docs/decisions.md 49). The log and the orders both use this
 * module.
 *
 * An address is a local part (atoms, or quoted), an at sign, and a domain: with a dot and a last label that begins with
 * a letter, or an IP address, or `localhost`, or any name inside `<…>` or after `mailto:`. White space and comments may
 * surround the at sign. So `@home`, `3 @ 5.50` and `AC@DC` are not addresses. The search scans the canonical spelling
 * of the text once (canonical-text.ts). No at sign looks back beyond the one before it, so malicious text costs linear
 * time.
 */

/**
 * Whether a text can contain an address: it has an at sign, an encoding that may represent one, or the word "dot".
 * Almost no text does, and the check costs a fraction of a microsecond. Works on the text of a value and on its JSON.
 */
export const mayHoldAddress = (text: string): boolean => suspicious.test(text);
// An escape is one that the JSON of an honest text does not have. The last class has other forms of ASCII, and characters that are not
// shown: each of the others can be spelled with them.
const suspicious =
  /@|[%&][^\s",;]|\\[^"nrtbf/]|[([{<](?:\s|\\[nrtf])*at|\bdot\b|[\u180b-\u180f\uff01-\uff5e\ufe50-\ufe6b\u2460-\u24ff\ud835\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/i;

export const holdsAddress = (text: string): boolean => findAddresses(text).length > 0;

/** The text with every address replaced. For texts that are shown or logged, such as the value in an error message. */
export function maskAddresses(text: string, mask = addressMask): string {
  return cutOut(text, findAddresses(text), mask);
}
export const addressMask = '[e-mail address]';

/**
 * The text without its addresses and without the brackets, quotes and separators around them. Returns null when no
 * letter or digit remains. A text without addresses is returned unchanged.
 */
export function removeAddresses(text: string): string | null {
  let rest = text;
  for (let round = 0; round < maxRounds; round += 1) {
    const addresses = findAddresses(rest);
    if (addresses.length === 0) return rest === text || /[\p{L}\p{N}]/u.test(rest) ? rest : null;
    rest = tidy(cutOut(rest, addresses, ' '));
  }
  return null;
}

/** The text on both sides of a removed address may form an address itself. No honest text needs a third round. */
const maxRounds = 3;

const tidy = (text: string): string =>
  withoutQuotes(trimSeparators(text.replace(/\s+/g, ' ').replace(/[(<[] ?[)>\]]/g, '')));

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns the spans of the addresses in a text. */
function findAddresses(original: string): readonly Span[] {
  if (!mayHoldAddress(original)) return [];
  const canonical = toCanonicalText(original);
  const search = new AddressSearch(canonical.text, canonical.percentEncoded);
  return search.find().map(({ start, end }) => ({
    start: canonical.starts[start] as number,
    end: canonical.ends[end - 1] as number,
  }));
}

/** What a character can be part of, by its code. */
const inLocalPart = 1;
const inLabel = 2;
const inUrlSyntax = 4;
const uses = new Uint8Array(128);
for (const unit of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_') uses[unit.charCodeAt(0)] = inLocalPart | inLabel; // prettier-ignore
for (const unit of "!#$%'*+^`{|}~.") uses[unit.charCodeAt(0)] = inLocalPart;
for (const unit of '/?&=') uses[unit.charCodeAt(0)] = inLocalPart | inUrlSyntax;

const isLetter = (unit: string): boolean => (unit >= 'a' && unit <= 'z') || (unit >= 'A' && unit <= 'Z');

/** Top-level domains that are accepted even after a dot and a space, where otherwise a new sentence begins. */
const commonTopLevels = new Set(
  'com net org info biz edu gov io co eu de at ch fr it es nl be pl se dk no fi uk us ca au jp cn ru br example test'.split(' '),
); // prettier-ignore

/** `bob [at] mail dot example dot com` */
const dotInWords = /^ dot (?:[\w-]{1,63} dot ){0,7}([\w-]{1,63})/i;

/**
 * Characters directly beside an at sign that no valid address has there: `bob@@example.com`, `[bob]@example.com`,
 * `bob@"example.com"`. A reader passes over them. At most `maxStray`, so that the search stays linear.
 */
const strayBehindLocalPart = ')]}>\\@';
const strayBeforeDomain = '([{<"\'\\.';
const maxStray = 16;

/** Searches a text in canonical spelling for addresses. Positions are indices of that text. */
class AddressSearch {
  readonly #text: string;
  readonly #percentEncoded: ReadonlySet<number>;
  /** Maps the position of a bracket to that of its partner: comments in parentheses, and tags. */
  readonly #partners: ReadonlyMap<number, number>;
  readonly #spans: Span[] = [];
  /** The end of the last address found. */
  #floor = 0;

  constructor(text: string, percentEncoded: ReadonlySet<number>) {
    this.#text = text;
    this.#percentEncoded = percentEncoded;
    this.#partners = findPartners(text);
  }

  find(): readonly Span[] {
    for (const { index, 0: sign } of this.#text.matchAll(/@| at /gi)) {
      if (index < this.#floor) continue;
      const span = sign === '@' ? this.#addressAround(index) : this.#wordsAround(index);
      if (span === undefined) continue;
      this.#spans.push(span);
      this.#floor = span.end;
    }
    return this.#spans;
  }

  #addressAround(at: number): Span | undefined {
    const start = this.#localPartStart(at);
    if (start === undefined) return undefined;
    const end = this.#domainEnd(at, start);
    if (end === undefined) return undefined;
    const wrapped = this.#withWrapping(this.#chainStart(start), this.#chainEnd(end));
    return { start: wrapped.start, end: this.#chainEnd(wrapped.end) };
  }

  #localPartStart(at: number): number | undefined {
    const isUrl = this.#percentEncoded.has(at);
    const lowest = Math.max(this.#floor, at - maxStray);
    for (let end = at; ; end -= 1) {
      const start = this.#localPartStartBefore(end, isUrl);
      const isStray = end > lowest && strayBehindLocalPart.includes(this.#text.charAt(end - 1));
      if (start !== undefined || !isStray) return start;
    }
  }

  #localPartStartBefore(at: number, isUrl: boolean): number | undefined {
    let place = this.#skipBack(at, true);
    // A local part may consist of a comment alone. That is not a valid address, but it is treated as one.
    let start = this.#isBehindComment(at, place) ? place : undefined;
    for (;;) {
      const wordStart = this.#wordStart(place, isUrl);
      if (wordStart === place) return start;
      start = wordStart;
      place = this.#skipBack(wordStart, false);
      if (place === wordStart) return start;
    }
  }

  #isBehindComment(at: number, place: number): boolean {
    return place < at && this.#text.slice(place, at).includes('(');
  }

  /** The start of the atoms and quoted words, joined by dots, that end at `end`. */
  #wordStart(end: number, isUrl: boolean): number {
    let start = end;
    for (let hasMore = true; hasMore && start > this.#floor;) {
      if (this.#text[start - 1] === '"') {
        start = this.#openingQuote(start - 1);
        hasMore = this.#text[start - 1] === '.';
      } else {
        while (start > this.#floor && this.#isLocal(start - 1, isUrl)) start -= 1;
        hasMore = this.#text[start] === '.' && this.#text[start - 1] === '"';
      }
    }
    return start;
  }

  #isLocal(place: number, isUrl = false): boolean {
    const use = uses[this.#text.charCodeAt(place)] ?? 0;
    return (use & inLocalPart) !== 0 && !(isUrl && (use & inUrlSyntax) !== 0);
  }

  /** A local part has at most 64 characters (RFC 5321, 4.5.3.1.1): a quote further away belongs to something else. */
  #openingQuote(closing: number): number {
    const lowest = Math.max(this.#floor, closing - 66);
    for (let place = closing - 1; place >= lowest; place -= 1) {
      if (this.#text[place] === '"' && this.#text[place - 1] !== '\\') return place;
    }
    return closing;
  }

  #domainEnd(at: number, start: number): number | undefined {
    let from = this.#skip(at + 1, true);
    if (this.#text[from] === '[') {
      const literalEnd = this.#literalEnd(from);
      if (literalEnd !== undefined) return literalEnd;
    }
    if (from === at + 1) {
      while (from <= at + maxStray && strayBeforeDomain.includes(this.#text[from] ?? ' ')) from += 1;
    }
    const isApart = this.#text[at - 1] === ' ' || this.#text[at + 1] === ' ';
    const labels: string[] = [];
    let end: number | undefined;
    for (let place = from; ;) {
      const labelStart = place;
      while (this.#isLabel(place)) place += 1;
      if (place === labelStart) break;
      labels.push(this.#text.slice(labelStart, place));
      if (isDomain(labels, isApart)) end = place;
      const next = this.#nextLabel(place, end !== undefined);
      if (next === undefined) {
        if (end === undefined && labels.length === 1 && this.#isNameOfHost(start, place)) return place;
        break;
      }
      place = next;
    }
    return end;
  }

  #isLabel(place: number): boolean {
    return ((uses[this.#text.charCodeAt(place)] ?? 0) & inLabel) !== 0;
  }

  /**
   * The start of the label after a dot. Comments may surround the dot. White space may, too, unless the preceding
   * labels already form a domain. White space after the dot only is accepted before a well-known top-level domain,
   * because a sentence may end there.
   */
  #nextLabel(place: number, isComplete: boolean): number | undefined {
    const [dots, topLevel] = dotInWords.exec(this.#text.slice(place, place + 600)) ?? [];
    if (dots !== undefined && commonTopLevels.has((topLevel as string).toLowerCase())) return place + ' dot '.length;
    const isApart = !isComplete && this.#text[place] === ' ';
    let next = this.#skip(isApart ? place + 1 : place, false);
    if (this.#text[next] !== '.') return undefined;
    while (this.#text[next] === '.') next += 1;
    next = this.#skip(next, false);
    if (this.#text[next] === ' ' && !isComplete) {
      const [label = ''] = /^[\w-]{0,63}/.exec(this.#text.slice(next + 1, next + 65)) ?? [];
      if (isApart || commonTopLevels.has(label)) next += 1;
    }
    return this.#isLabel(next) ? next : undefined;
  }

  /** Whether a name without a dot is a domain here: `localhost`, or any name where only an address can appear. */
  #isNameOfHost(start: number, end: number): boolean {
    if (this.#text.slice(end - 9, end).toLowerCase() === 'localhost') return true;
    return (this.#text[start - 1] === '<' && this.#text[end] === '>') || this.#isBehindMailto(start);
  }

  #isBehindMailto(start: number): boolean {
    return start - 7 >= this.#floor && this.#text.slice(start - 7, start).toLowerCase() === 'mailto:';
  }

  /** RFC 5321, 4.1.3: `[192.0.2.1]`, `[IPv6:2001:db8::1]`, here also without its prefix. */
  #literalEnd(open: number): number | undefined {
    const [literal] = /^\[ ?[0-9a-z.:]{2,60} ?\]/i.exec(this.#text.slice(open, open + 66)) ?? [];
    if (literal === undefined) return undefined;
    const isAddress = /ipv6:|::/i.test(literal) || literal.split('.').length === 4 || literal.split(':').length > 3;
    return isAddress ? open + literal.length : undefined;
  }

  /**
   * `bob at example dot com`: requires both words and a well-known top-level domain, because "look at the dot now" is
   * not an address.
   */
  #wordsAround(at: number): Span | undefined {
    let start = at;
    while (start > this.#floor && this.#isLocal(start - 1)) start -= 1;
    const [, domain] = / at ((?:[\w-]{1,63} dot ){1,8}[\w-]{1,63})/iy.exec(this.#text.slice(at, at + 600)) ?? [];
    const topLevel = domain?.slice(domain.lastIndexOf(' ') + 1).toLowerCase() ?? '';
    if (start === at || domain === undefined || !commonTopLevels.has(topLevel)) return undefined;
    return { start: this.#dottedStart(start), end: at + 4 + domain.length };
  }

  /** The start of `bob dot b`, whose last word begins at `start`. */
  #dottedStart(start: number): number {
    let from = start;
    while (/ dot $/i.test(this.#text.slice(Math.max(from - 5, this.#floor), from))) {
      from -= 5;
      while (from > this.#floor && this.#isLocal(from - 1)) from -= 1;
    }
    return from;
  }

  /** Moves back over one space, comments and tags. */
  #skipBack(from: number, isBesideAt: boolean): number {
    let place = from;
    for (;;) {
      const before = place;
      if (isBesideAt && place > this.#floor && this.#text[place - 1] === ' ') place -= 1;
      const open = this.#partners.get(place - 1);
      if (open !== undefined && open < place - 1 && open >= this.#floor) place = open;
      if (place === before) return place;
    }
  }

  #skip(from: number, isBesideAt: boolean): number {
    let place = from;
    for (;;) {
      const before = place;
      if (isBesideAt && this.#text[place] === ' ') place += 1;
      const close = this.#partners.get(place);
      if (close !== undefined && close > place) place = close + 1;
      if (place === before) return place;
    }
  }

  /** `a@b@c.example` is not a valid address, but no part of it may remain. Scans only what is then removed. */
  #chainStart(start: number): number {
    let from = start;
    while (from > this.#floor && (this.#isLocal(from - 1) || this.#text[from - 1] === '@')) from -= 1;
    return this.#text[start - 1] === '@' ? from : start;
  }

  /** The counterpart of `#chainStart`, also after the quotes of `"a@b.example"@c.example`. */
  #chainEnd(end: number): number {
    for (let to = end; ;) {
      const at = this.#skip(to, true);
      if (this.#text[at] !== '@') return to;
      const domainEnd = this.#domainEnd(at, at);
      if (domainEnd === undefined && at > to) return to;
      const next = domainEnd ?? to;
      for (to = next; this.#isLocal(to) || this.#text[to] === '@';) to += 1;
    }
  }

  /** Includes `mailto:` and the brackets or quotes directly around an address. */
  #withWrapping(start: number, end: number): Span {
    let from = this.#isBehindMailto(start) ? start - 7 : start;
    let to = end;
    while (from > this.#floor && to < this.#text.length && closingOf.get(this.#text[from - 1]) === this.#text[to]) {
      from -= 1;
      to += 1;
    }
    return { start: from, end: to };
  }
}

const closingOf = new Map<string | undefined, string>([['<', '>'], ['(', ')'], ['[', ']'], ['"', '"']]); // prettier-ignore

/** @param isApart Whether white space surrounds the at sign: `2 @ 5.a` is then not an address. */
function isDomain(labels: readonly string[], isApart: boolean): boolean {
  if (labels.length < 2) return false;
  const last = labels.at(-1) as string;
  if (isLetter(last.charAt(0))) return !isApart || last.length > 1;
  return labels.length === 4 && labels.every((label) => /^\d{1,3}$/.test(label));
}

/**
 * Finds the brackets that enclose a comment (RFC 5322, 3.2.2; they nest) or an HTML tag. A bracket that has a partner
 * and precedes an at sign is skipped, so each is visited once, however deep they nest.
 */
function findPartners(text: string): ReadonlyMap<number, number> {
  const partners = new Map<number, number>();
  const open: number[] = [];
  let tag: number | undefined;
  for (const { index, 0: sign } of text.matchAll(/[()<>@]/g)) {
    if (sign === '(') open.push(index);
    else if (sign === '<') tag = /[a-z/!]/i.test(text.charAt(index + 1)) ? index : undefined;
    else if (sign === '@') tag = undefined;
    else {
      const partner = sign === ')' ? open.pop() : tag;
      if (sign === '>') tag = undefined;
      if (partner === undefined) continue;
      partners.set(partner, index);
      partners.set(index, partner);
    }
  }
  return partners;
}

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
