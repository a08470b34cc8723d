/**
 * E-mail addresses of customers are never stored and never leave (D25). Import calls these functions before it writes,
 * the resolvers call them again on the way out, because other programs write the tables too.
 *
 * An address is: a local part (dot-atom of any script, or quoted), an at sign (also full-width and small), a domain with
 * a dot and a last label that is no number, or an IP address. So `@home` and `3 @ 5.50` are none. Everything is one
 * walk from left to right: no at sign looks back beyond the one before it, so hostile text costs linear time.
 */

/** The name without the addresses in it; null when nothing that names somebody is left. Other names stay as they are. */
export function scrubCustomerName(name: string | null): string | null {
  if (name === null) return null;
  const addresses = findAddresses(name);
  if (addresses.length === 0) return name;
  const rest = cutOut(name, addresses, ' ')
    .replace(/\s+/g, ' ')
    .replace(/[(<[] ?[)>\]]/g, '');
  const words = withoutQuotes(trimSeparators(rest));
  return /[\p{L}\p{N}]/u.test(words) ? words : null;
}

/** The tags that hold no address. */
export function scrubTags(tags: readonly string[]): string[] {
  return tags.filter((tag) => findAddresses(tag).length === 0);
}

/** The text with every address replaced: for texts that are shown or logged, such as the value in an error message. */
export function maskAddresses(text: string, mask = '[e-mail address]'): string {
  return cutOut(text, findAddresses(text), mask);
}

interface Span {
  readonly start: number;
  readonly end: number;
}

const atSign = /[@＠﹫]/g;
const isAtSign = (unit: string): boolean => unit === '@' || unit === '＠' || unit === '﹫';
const isBlank = (unit: string): boolean => unit === ' ' || unit === '\u00a0' || unit === '\t';
const isDot = (unit: string): boolean => unit === '.' || unit === '。' || unit === '．' || unit === '｡';
const notInLocalPart = /[\s@＠﹫<>()[\],;:"\\]/;
const notInAsciiLabel = /[^0-9A-Za-z_-]/;

const isLocal = (unit: string): boolean => !notInLocalPart.test(unit);
const isLabel = (unit: string): boolean =>
  unit.charCodeAt(0) < 128 ? !notInAsciiLabel.test(unit) : !/\s/.test(unit) && !isAtSign(unit) && !isDot(unit);

/** The space that may stand around an at sign; more would make a sentence out of an address. */
const maxBlanks = 2;

function findAddresses(text: string): readonly Span[] {
  const spans: Span[] = [];
  let floor = 0;
  for (const { index } of text.matchAll(atSign)) {
    if (index < floor) continue;
    const start = localPartStart(text, index, floor);
    const end = start === undefined ? undefined : domainEnd(text, index + 1);
    if (start === undefined || end === undefined) continue;
    const wrapped = withWrapping(text, chainStart(text, start, floor), chainEnd(text, end), floor);
    const span = { start: wrapped.start, end: chainEnd(text, wrapped.end) };
    spans.push(span);
    floor = span.end;
  }
  return spans;
}

function localPartStart(text: string, at: number, floor: number): number | undefined {
  let end = at;
  while (end > floor && at - end < maxBlanks && isBlank(text.charAt(end - 1))) end -= 1;
  if (end > floor && text.charAt(end - 1) === '"') return openingQuote(text, end - 1, floor);
  let start = end;
  while (start > floor && isLocal(text.charAt(start - 1))) start -= 1;
  return start < end ? start : undefined;
}

/** A local part has at most 64 characters (RFC 5321, 4.5.3.1.1): a quote further away belongs to something else. */
function openingQuote(text: string, closing: number, floor: number): number {
  const lowest = Math.max(floor, closing - 66);
  for (let place = closing - 1; place >= lowest; place -= 1) {
    if (text.charAt(place) === '"' && text.charAt(place - 1) !== '\\') return place;
  }
  return closing;
}

function domainEnd(text: string, from: number): number | undefined {
  let start = from;
  while (start - from < maxBlanks && isBlank(text.charAt(start))) start += 1;
  if (text.charAt(start) === '[') return literalEnd(text, start);
  let end = start;
  while (end < text.length && (isLabel(text.charAt(end)) || isDot(text.charAt(end)))) end += 1;
  while (end > start && isDot(text.charAt(end - 1))) end -= 1;
  const labels = text.slice(start, end).split(/[.。．｡]+/);
  const last = labels.at(-1) ?? '';
  const isNumber = /^[0-9]+$/.test(last);
  return labels.length > 1 && (!isNumber || labels.length === 4) ? end : undefined;
}

function literalEnd(text: string, open: number): number | undefined {
  const inner = /^\[[0-9A-Za-z.:]{2,60}\]/.exec(text.slice(open, open + 64));
  return inner ? open + inner[0].length : undefined;
}

const isLocalOrAt = (unit: string): boolean => isLocal(unit) || isAtSign(unit);

/** `a@b@c.example` is no valid address, but no part of it may stay. Walks only over what is then cut out. */
function chainStart(text: string, start: number, floor: number): number {
  let from = start;
  while (from > floor && isLocalOrAt(text.charAt(from - 1))) from -= 1;
  return from;
}

/** The other side of the same, also after the quotes of `"a@b.example"@c.example`. */
function chainEnd(text: string, end: number): number {
  let to = end;
  if (!isAtSign(text.charAt(to))) return to;
  while (to < text.length && isLocalOrAt(text.charAt(to))) to += 1;
  return to;
}

const closingOf = new Map([['<', '>'], ['(', ')'], ['[', ']'], ['"', '"']]); // prettier-ignore

/** Takes `mailto:` and the brackets or quotes right around an address along with it. */
function withWrapping(text: string, start: number, end: number, floor: number): Span {
  let from = start;
  let to = end;
  if (from - 7 >= floor && text.slice(from - 7, from).toLowerCase() === 'mailto:') from -= 7;
  while (from > floor && to < text.length && closingOf.get(text.charAt(from - 1)) === text.charAt(to)) {
    from -= 1;
    to += 1;
  }
  return { start: from, end: to };
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

/** By hand, because a pattern anchored at the end of the text tries every place before it. */
function trimSeparators(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && separators.test(text.charAt(start))) start += 1;
  while (end > start && separators.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const withoutQuotes = (text: string): string => /^"[^"]*"$/.exec(text)?.[0].slice(1, -1).trim() ?? text;
