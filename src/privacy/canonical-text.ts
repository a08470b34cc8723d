/**
 * One spelling for all those in which a text can contain an e-mail address: ASCII, decoded, without invisible
 * characters. For searching only. Each unit records the part of the original that it represents, so that a match can be
 * removed from the original.
 */
export interface CanonicalText {
  /** ASCII. Letters of other scripts become `x`, their digits `0`, a run of white space one space. */
  readonly text: string;
  /** Start and end of each unit in the original. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** At signs that were `%40` in the original: the text around them is a URL. */
  readonly percentEncoded: ReadonlySet<number>;
}

/**
 * Reduces a text to its canonical spelling, in one pass and in linear time:
 *
 * - compatibility forms (NFKC): full-width and small at signs, one-dot leaders, mathematical letters; full stops of IDNA (UTS 46);
 * - percent-encoding, character references of HTML and escapes of JSON, nested in each other to any depth;
 * - white space of every kind, and characters that are not shown (soft hyphens, zero-width characters, controls);
 * - `[at]`, `(dot)` and their like.
 */
export function toCanonicalText(original: string): CanonicalText {
  const writer = new CanonicalWriter();
  for (let at = 0; at < original.length;) {
    const codePoint = original.codePointAt(at) as number;
    const end = at + (codePoint > 0xffff ? 2 : 1);
    writer.write(codePoint, at, end);
    at = end;
  }
  return writer.finish();
}

/**
 * References that can represent part of an address; also recognised without their semicolon, except where another name
 * begins with the same letters, and for characters that are not shown.
 */
const references: Readonly<Record<string, string>> = {
  commat: '@', period: '.', amp: '&', percnt: '%', 'num;': '#', semi: ';', nbsp: ' ', shy: '\u00ad', lt: '<', gt: '>',
  quot: '"', apos: "'", lpar: '(', rpar: ')', lsqb: '[', rsqb: ']', lbrack: '[', rbrack: ']', tab: ' ', newline: ' ',
  ensp: ' ', 'emsp;': ' ', 'thinsp;': ' ', zwj: '\u200d', zwnj: '\u200c', lowbar: '_', hyphen: '-', dash: '-', plus: '+',
  'lcub;': '{', 'rcub;': '}', 'lbrace;': '{', 'rbrace;': '}', 'bsol;': '\\',
  ...Object.fromEntries(
    ['emsp13', 'emsp14', 'numsp', 'puncsp', 'hairsp', 'thinspace', 'verythinspace', 'mediumspace', 'thickspace', 'nonbreakingspace']
      .map((name) => [`${name};`, ' ']),
  ),
  ...Object.fromEntries(
    ['zerowidthspace', 'negativeverythinspace', 'negativethinspace', 'negativemediumspace', 'negativethickspace', 'nobreak', 'lrm', 'rlm',
      'af', 'applyfunction', 'it', 'invisibletimes', 'ic', 'invisiblecomma']
      .map((name) => [`${name};`, '\u200b']),
  ),
}; // prettier-ignore

/** The longest reference, `&negativeverythinspace;`. Leading zeros are removed before they count. */
const maxReference = 22;
/** `&#x10ffff`, and what follows it in the same word. */
const maxNumericReference = 20;
/** `( dot )` */
const maxBracketed = 7;
const bracketed = /[([{<] ?(at|dot|@|\.) ?[)\]}>]$/i;

/**
 * Compatibility forms that expand to more than this are words (U+FDFA becomes 18 characters) and become two letters.
 */
const maxExpansion = 4;

class CanonicalWriter {
  readonly #units: string[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #percentEncoded = new Set<number>();
  /** The ampersand that may begin a reference; −1 when there is none nearby. */
  #ampersand = -1;
  /**
   * The position after a reference that was replaced without its semicolon: a semicolon at this position belongs to it.
   */
  #mayEndReference = -1;

  write(codePoint: number, start: number, end: number): void {
    const units = toUnits(codePoint);
    if (units !== '') this.#endNumericReference(codePoint);
    for (const unit of units) this.#push(unit, start, end);
  }

  finish(): CanonicalText {
    this.#endNumericReference(-1);
    return {
      text: this.#units.join(''),
      starts: this.#starts,
      ends: this.#ends,
      percentEncoded: this.#percentEncoded,
    };
  }

  #push(unit: string, start: number, end: number): void {
    this.#append(unit, start, end);
    // Each replacement shortens the list of units, so the total time is linear.
    while (this.#replaceEnd());
  }

  #append(unit: string, start: number, end: number): void {
    const last = this.#units.length - 1;
    if (unit === ';' && this.#mayEndReference === last + 1) {
      this.#ends[last] = end;
      this.#mayEndReference = -1;
    } else if (unit === ' ' && this.#units[last] === ' ') {
      this.#ends[last] = end;
    } else {
      if (unit === '&') this.#ampersand = last + 1;
      this.#units.push(unit);
      this.#starts.push(start);
      this.#ends.push(end);
    }
  }

  /**
   * Replaces what the last unit completed.
   * @returns whether anything was replaced
   */
  #replaceEnd(): boolean {
    const unit = this.#units.at(-1) ?? '';
    if (isHexDigit(unit)) return this.#replacePercentEncoding() || this.#replaceEscape() || this.#replaceReference();
    if (unit === '}' && this.#replaceBracedEscape()) return true;
    if (unit === ')' || unit === ']' || unit === '}' || unit === '>') return this.#replaceBracketed();
    return this.#replaceReference();
  }

  #replacePercentEncoding(): boolean {
    const { length } = this.#units;
    if (this.#units[length - 3] !== '%' || !isHexDigit(this.#units[length - 2])) return false;
    const byte = this.#hex(length - 2, length);
    if (byte < 0x80) return this.#replace(3, byte, true);
    // This may be the last byte of a UTF-8 sequence, whose first byte holds its length.
    for (let size = 2; size <= 4; size += 1) {
      const from = length - 3 * size;
      const sequence = this.#units.slice(Math.max(from, 0), length).join('');
      if (from < 0 || !/^(?:%[0-9a-f]{2})+$/i.test(sequence)) return false;
      const first = this.#hex(from + 1, from + 3);
      if (first >= 0xc0) return utf8Length(first) === size && this.#replace(3 * size, decodeUtf8(sequence), true);
    }
    return false;
  }

  /** `\u0040` and `\x40`, and what `escape` of JavaScript writes: `%u0040` */
  #replaceEscape(): boolean {
    for (const [letter, digits, signs] of [['u', 4, '\\%'], ['x', 2, '\\']] as const) {
      const from = this.#units.length - digits;
      if (this.#units[from - 1] !== letter || !signs.includes(this.#units[from - 2] ?? ' ')) continue;
      if (!this.#units.slice(from).every(isHexDigit)) continue;
      return this.#replace(digits + 2, this.#hex(from, this.#units.length));
    } // prettier-ignore
    return false;
  }

  /** `\u{40}` */
  #replaceBracedEscape(): boolean {
    const [whole, digits = ''] = /\\u\{0{0,5}([0-9a-f]{1,6})\}$/i.exec(this.#units.slice(-10).join('')) ?? [];
    return whole !== undefined && this.#replace(whole.length, parseInt(digits, 16));
  }

  #replaceReference(): boolean {
    const length = this.#units.length - this.#ampersand;
    if (this.#ampersand < 0 || length < 3 || length > maxReference + 1) return false;
    const reference = this.#units
      .slice(this.#ampersand + 1)
      .join('')
      .toLowerCase();
    if (reference.startsWith('#')) {
      if (/^#x?00$/.test(reference)) {
        const end = this.#ends.at(-1) as number;
        this.#drop(1);
        this.#ends[this.#ends.length - 1] = end;
        return true;
      }
      const [, digits] = /^#(x[0-9a-f]+|[0-9]+);$/.exec(reference) ?? [];
      return digits !== undefined && this.#replace(length, Number(digits.startsWith('x') ? `0${digits}` : digits));
    }
    if (!Object.hasOwn(references, reference)) return false;
    this.#replace(length, references[reference]?.codePointAt(0) as number);
    this.#mayEndReference = this.#units.length;
    return true;
  }

  /**
   * `&#64` and `&#x40` without a semicolon end before the first character that is not a digit of theirs. The at sign
   * and the full stop are recognised before hexadecimal digits, too: a reader takes `&#x40example` for an at sign,
   * whatever a browser makes of it.
   */
  #endNumericReference(next: number): void {
    const length = this.#units.length - this.#ampersand;
    if (this.#ampersand < 0 || this.#units[this.#ampersand + 1] !== '#' || length > maxNumericReference) return;
    const unit = next < 0 ? '' : String.fromCodePoint(next).normalize('NFKC');
    if (unit === ';') return;
    const reference = this.#units.slice(this.#ampersand + 2).join('');
    const isHex = /^x/i.test(reference);
    if ((isHex ? isHexDigit : isDecimalDigit)(unit)) return;
    const [whole, digits = ''] = /^x0?([0-9a-f]+)$/i.exec(reference) ?? /^0?([0-9]+)$/.exec(reference) ?? [];
    if (whole === undefined) return;
    const [known] = isHex ? (/^(?:40|2e)/i.exec(digits) ?? []) : [digits];
    if (known === undefined) return;
    const rest = this.#units.slice(this.#units.length - digits.length + known.length);
    const places = rest.map((_, index) => this.#units.length - rest.length + index);
    const bounds = places.map((place) => [this.#starts[place], this.#ends[place]] as [number, number]);
    this.#drop(rest.length);
    this.#replace(length - rest.length, parseInt(known, isHex ? 16 : 10));
    if (rest.length === 0) this.#mayEndReference = this.#units.length;
    while (this.#replaceEnd());
    rest.forEach((unit, index) => this.#push(unit, ...(bounds[index] as [number, number])));
  }

  #replaceBracketed(): boolean {
    const [whole, word = ''] = bracketed.exec(this.#units.slice(-maxBracketed).join('')) ?? [];
    if (whole === undefined) return false;
    return this.#replace(whole.length, word === '@' || word.toLowerCase() === 'at' ? 0x40 : 0x2e);
  }

  /** Replaces the last units with a character in canonical spelling. */
  #replace(count: number, codePoint: number, isPercentEncoding = false): true {
    const start = this.#starts.at(-count) as number;
    const end = this.#ends.at(-1) as number;
    const mayEndReference = this.#mayEndReference === this.#units.length;
    this.#drop(count);
    for (const unit of toUnits(codePoint)) {
      this.#append(unit, start, end);
      if (unit === '@' && isPercentEncoding) this.#percentEncoded.add(this.#units.length - 1);
    }
    if (mayEndReference) this.#mayEndReference = this.#units.length;
    return true;
  }

  #drop(count: number): void {
    const length = this.#units.length - count;
    for (const list of [this.#units, this.#starts, this.#ends]) list.length = length;
    if (this.#ampersand < length) return;
    const nearest = this.#units.slice(-maxReference).lastIndexOf('&');
    this.#ampersand = nearest < 0 ? -1 : Math.max(0, length - maxReference) + nearest;
  }

  #hex(from: number, to: number): number {
    return parseInt(this.#units.slice(from, to).join(''), 16);
  }
}

const isDecimalDigit = (unit: string): boolean => unit >= '0' && unit <= '9';
const isHexDigit = (unit: string | undefined): boolean =>
  unit !== undefined && (isDecimalDigit(unit) || (unit >= 'a' && unit <= 'f') || (unit >= 'A' && unit <= 'F'));

const utf8Length = (firstByte: number): number => (firstByte >= 0xf0 ? 4 : firstByte >= 0xe0 ? 3 : 2);

/**
 * The character of a percent-encoded UTF-8 sequence. Returns one that produces no units when the sequence is invalid.
 */
function decodeUtf8(sequence: string): number {
  try {
    return decodeURIComponent(sequence).codePointAt(0) as number;
  } catch {
    return replacementCharacter;
  }
}

const replacementCharacter = 0xfffd;
const ideographicFullStop = 0x3002;

/** A character in canonical spelling: no unit, or one or a few units of ASCII. */
function toUnits(codePoint: number): string {
  if (codePoint < 0x80)
    return codePoint > 0x20 && codePoint < 0x7f ? String.fromCharCode(codePoint) : toBlank(codePoint);
  if (!(codePoint <= 0x10ffff) || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return ';';
  const character = String.fromCodePoint(codePoint);
  if (/[\p{Default_Ignorable_Code_Point}\p{Cf}]/u.test(character)) return '';
  if (/[\s\u0085]/u.test(character)) return ' ';
  const composed = character.normalize('NFKC');
  if (composed.length > maxExpansion) return 'xx';
  return Array.from(composed, (part) => toUnit(part.codePointAt(0) as number)).join('');
}

/**
 * Tab, line feed, vertical tab, form feed, carriage return and space are white space; other control characters are not
 * shown.
 */
const toBlank = (codePoint: number): string => (codePoint === 0x20 || (codePoint >= 9 && codePoint <= 13) ? ' ' : '');

/** By class, because only ASCII marks where an address begins and ends. `;` is not part of any address. */
const classes: readonly (readonly [pattern: RegExp, unit: string])[] = [
  [/[\p{L}\p{M}]/u, 'x'],
  [/\p{N}/u, '0'],
  [/[“”„‟«»]/u, '"'],
  [/[‘’‛]/u, "'"],
  [/\p{Pd}|[·・]/u, '-'],
  [/[\p{Pc}\p{S}]/u, '_'],
];

function toUnit(codePoint: number): string {
  if (codePoint < 0x80) return codePoint > 0x20 && codePoint < 0x7f ? String.fromCharCode(codePoint) : ' ';
  if (codePoint === ideographicFullStop) return '.';
  const character = String.fromCodePoint(codePoint);
  return classes.find(([pattern]) => pattern.test(character))?.[1] ?? ';';
}
