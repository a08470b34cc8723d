import { firstExpansion, unitTable } from './character-units';

/**
 * One spelling for all those in which a text can contain an e-mail address: ASCII, decoded, without invisible
 * characters. For searching only. Each unit records the part of the original that it represents, so that a match can be
 * removed from the original.
 */
export interface CanonicalText {
  readonly length: number;
  /** ASCII codes. Letters of other scripts become `x`, their digits `_`, a run of white space one space. */
  readonly units: Uint8Array;
  /** Start and end of each unit in the original. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** 1 for what was `%40` and its like in the original: the text around such an at sign is a URL. */
  readonly isPercentEncoded: Uint8Array;
}

/**
 * Reduces a text to its canonical spelling, in one pass and in linear time, some 20 ns a character:
 *
 * - compatibility forms (NFKC): full-width and small at signs, one-dot leaders, mathematical letters; full stops of
 *   IDNA (UTS 46);
 * - percent-encoding, character references of HTML and escapes of JSON, nested in each other to any depth;
 * - white space of every kind, and characters that are not shown (soft hyphens, zero-width characters, controls);
 * - `[at]`, `(dot)` and their like.
 *
 * @returns a view of buffers that the next call overwrites
 */
export function toCanonicalText(original: string): CanonicalText {
  if (writer === undefined || writer.capacity > maxKeptUnits) writer = new CanonicalWriter();
  writer.writeAll(original);
  return writer;
}

/** More than one order's longest text has; longer ones get buffers of their own. */
const maxKeptUnits = 64 * 1024;
let writer: CanonicalWriter | undefined;

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

/*
 * States of a character reference, one for each unit: the position of its beginning in the tree of all names. So a
 * reference is recognised by one lookup per unit, and after a replacement the state before it is still known.
 */
const outside = 0;
const behindAmpersand = 1;
/** `&#`, its digits, `&#x` and its digits; `values` has the number so far. */
const behindNumberSign = 2;
const inDecimal = 3;
const inHex = 4;
const firstNameState = 5;
/** By state and unit in lower case: the next state. */
const steps: Uint16Array[] = [];
/** By state: the character that the name represents, or −1. */
const meanings: number[] = [];
/** By state: the length of the reference so far, ampersand included. */
const depths: number[] = [];

function addState(depth: number): number {
  meanings.push(-1);
  depths.push(depth);
  return steps.push(new Uint16Array(128)) - 1;
}
for (let state = outside; state < firstNameState; state += 1) addState(state === behindAmpersand ? 1 : 0);
(steps[behindAmpersand] as Uint16Array)['#'.charCodeAt(0)] = behindNumberSign;
for (const [name, meaning] of Object.entries(references)) {
  let state = behindAmpersand;
  for (let index = 0; index < name.length; index += 1) {
    const step = steps[state] as Uint16Array;
    const code = name.charCodeAt(index);
    if (step[code] === 0) step[code] = addState(index + 2);
    state = step[code] as number;
  }
  meanings[state] = meaning.codePointAt(0) as number;
}

const [at, dot, space, percent, ampersand, semicolon, backslash] = Array.from('@. %&;\\', (unit) => unit.charCodeAt(0)) as [
  number, number, number, number, number, number, number,
]; // prettier-ignore
const [letterA, letterD, letterO, letterT, letterU, letterX] = Array.from('adotux', (unit) => unit.charCodeAt(0)) as [
  number, number, number, number, number, number,
]; // prettier-ignore
const [openBrace, closeBrace] = [0x7b, 0x7d];
const toLower = (unit: number): number => (unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit);

/** By unit: the value of a hexadecimal digit, or −1. */
const hexValues = new Int8Array(128).fill(-1);
Array.from('0123456789abcdef').forEach((digit, value) => {
  hexValues[digit.charCodeAt(0)] = hexValues[digit.toUpperCase().charCodeAt(0)] = value;
});
/** By unit: 1 for what opens `[at]`, 2 for what closes it. */
const brackets = new Uint8Array(128);
for (const unit of '([{<') brackets[unit.charCodeAt(0)] = 1;
for (const unit of ')]}>') brackets[unit.charCodeAt(0)] = 2;

const beyondUnicode = 0x110000;
const replacementCharacter = 0xfffd;

class CanonicalWriter implements CanonicalText {
  length = 0;
  units = new Uint8Array(1024);
  starts = new Int32Array(1024);
  ends = new Int32Array(1024);
  isPercentEncoded = new Uint8Array(1024);
  #states = new Uint16Array(1024);
  /** For the states of numeric references: the place of the ampersand, the number, its digits without leading zeros. */
  #ampersands = new Int32Array(1024);
  #values = new Int32Array(1024);
  #digits = new Int32Array(1024);
  /**
   * The position after a reference that was replaced without its semicolon: a semicolon at this position belongs to it.
   */
  #mayEndReference = -1;
  readonly #table = unitTable();

  get capacity(): number {
    return this.units.length;
  }

  writeAll(original: string): void {
    this.length = 0;
    this.#mayEndReference = -1;
    const { values, expansions } = this.#table;
    for (let from = 0; from < original.length;) {
      const codePoint = original.codePointAt(from) as number;
      const to = from + (codePoint > 0xffff ? 2 : 1);
      const value = values[codePoint] as number;
      if (value >= firstExpansion) {
        const units = expansions[value - firstExpansion] as string;
        for (let index = 0; index < units.length; index += 1) {
          const unit = units.charCodeAt(index);
          this.#endNumericReference(unit);
          this.#push(unit, from, to);
        }
      } else if (value > 0) {
        this.#endNumericReference(value);
        this.#push(value, from, to);
      }
      from = to;
    }
    this.#endNumericReference(0);
  }

  #push(unit: number, start: number, end: number): void {
    this.#append(unit, start, end);
    // Each replacement shortens the list of units, so the total time is linear.
    while (this.length > 0 && this.#replaceEnd());
  }

  #append(unit: number, start: number, end: number): void {
    const index = this.length;
    const last = index - 1;
    if (unit === semicolon && this.#mayEndReference === index) {
      this.ends[last] = end;
      this.#mayEndReference = -1;
      return;
    }
    if (unit === space && index > 0 && this.units[last] === space) {
      this.ends[last] = end;
      return;
    }
    if (index === this.units.length) this.#grow();
    this.units[index] = unit;
    this.starts[index] = start;
    this.ends[index] = end;
    this.isPercentEncoded[index] = 0;
    this.#states[index] = unit === ampersand ? behindAmpersand : index === 0 ? outside : this.#nextState(index, unit);
    this.length = index + 1;
  }

  #nextState(index: number, unit: number): number {
    const state = this.#states[index - 1] as number;
    if (state === outside) return outside;
    if (state === behindAmpersand || state >= firstNameState) {
      const next = (steps[state] as Uint16Array)[toLower(unit)] as number;
      if (next === behindNumberSign) this.#setNumber(index, index - 1, 0, 0);
      return next;
    }
    if (state === behindNumberSign && toLower(unit) === letterX) {
      this.#setNumber(index, index - 2, 0, 0);
      return inHex;
    }
    const value = hexValues[unit] as number;
    if (value < 0 || (state !== inHex && value > 9)) return outside;
    const number = (this.#values[index - 1] as number) * (state === inHex ? 16 : 10) + value;
    const digits = this.#digits[index - 1] as number;
    const ampersandAt = this.#ampersands[index - 1] as number;
    this.#setNumber(index, ampersandAt, Math.min(number, beyondUnicode), number === 0 ? 0 : digits + 1);
    return state === inHex ? inHex : inDecimal;
  }

  #setNumber(index: number, ampersandAt: number, value: number, digits: number): void {
    this.#ampersands[index] = ampersandAt;
    this.#values[index] = value;
    this.#digits[index] = digits;
  }

  /**
   * Replaces what the last unit completed.
   * @returns whether anything was replaced
   */
  #replaceEnd(): boolean {
    const last = this.length - 1;
    const unit = this.units[last] as number;
    if ((hexValues[unit] as number) >= 0 && (this.#replacePercentEncoding() || this.#replaceEscape())) return true;
    if (unit === closeBrace && this.#replaceBracedEscape()) return true;
    if (brackets[unit] === 2) return this.#replaceBracketed();
    return this.#replaceReference(last, unit);
  }

  #replaceReference(last: number, unit: number): boolean {
    const state = this.#states[last] as number;
    if (state === outside) {
      return unit === semicolon && last > 0 && this.#hasNumber(last - 1) && this.#replaceNumber(last - 1, true);
    }
    const meaning = meanings[state] as number;
    if (meaning < 0) return false;
    this.#replace(depths[state] as number, meaning);
    this.#mayEndReference = this.length;
    return true;
  }

  /** Whether the unit is a digit of a numeric reference, or of one without any other digit than zeros. */
  #hasNumber(position: number): boolean {
    const state = this.#states[position] as number;
    return state === inDecimal || (state === inHex && position > (this.#ampersands[position] as number) + 2);
  }

  #replaceNumber(position: number, hasSemicolon: boolean): boolean {
    const count = this.length - (this.#ampersands[position] as number);
    this.#replace(count, this.#values[position] as number);
    if (!hasSemicolon) this.#mayEndReference = this.length;
    return true;
  }

  #replacePercentEncoding(): boolean {
    const byte = this.#percentEncodedByte(this.length - 3);
    if (byte < 0) return false;
    if (byte < 0x80) return this.#replace(3, byte, true);
    // This may be the last byte of a UTF-8 sequence, whose first byte holds its length.
    for (let size = 2; size <= 4; size += 1) {
      const first = this.#percentEncodedByte(this.length - 3 * size);
      if (first < 0x80) return false;
      if (first >= 0xc0)
        return utf8Length(first) === size && this.#replace(3 * size, this.#decodeUtf8(first, size), true);
    }
    return false;
  }

  /** @returns −1 when there is none */
  #percentEncodedByte(position: number): number {
    if (position < 0 || this.units[position] !== percent) return -1;
    const high = hexValues[this.units[position + 1] as number] as number;
    const low = hexValues[this.units[position + 2] as number] as number;
    return high < 0 || low < 0 ? -1 : high * 16 + low;
  }

  /** The character of the sequence at the end. An invalid sequence is one that a reader sees as a sign. */
  #decodeUtf8(first: number, size: number): number {
    let codePoint = first & (0x7f >> size);
    for (let rest = size - 1; rest > 0; rest -= 1) {
      const byte = this.#percentEncodedByte(this.length - 3 * rest);
      if ((byte & 0xc0) !== 0x80) return replacementCharacter;
      codePoint = codePoint * 64 + (byte & 0x3f);
    }
    const lowest = size === 2 ? 0x80 : size === 3 ? 0x800 : 0x10000;
    const isValid = first < 0xf8 && codePoint >= lowest && codePoint <= 0x10ffff && (codePoint & 0x1ff800) !== 0xd800;
    return isValid ? codePoint : replacementCharacter;
  }

  /** `\u0040` and `\x40`, and what `escape` of JavaScript writes: `%u0040` */
  #replaceEscape(): boolean {
    const { length, units } = this;
    if (length >= 6 && units[length - 5] === letterU) {
      const sign = units[length - 6];
      const codePoint = sign === backslash || sign === percent ? this.#hexBefore(length, 4) : -1;
      if (codePoint >= 0) return this.#replace(6, codePoint);
    }
    if (length < 4 || units[length - 3] !== letterX || units[length - 4] !== backslash) return false;
    const codePoint = this.#hexBefore(length, 2);
    return codePoint >= 0 && this.#replace(4, codePoint);
  }

  #hexBefore(end: number, digits: number): number {
    let number = 0;
    for (let position = end - digits; position < end; position += 1) {
      const value = hexValues[this.units[position] as number] as number;
      if (value < 0) return -1;
      number = number * 16 + value;
    }
    return number;
  }

  /** `\u{40}` */
  #replaceBracedEscape(): boolean {
    const end = this.length - 1;
    const lowest = Math.max(end - 6, 3);
    let start = end;
    while (start >= lowest && (hexValues[this.units[start - 1] as number] as number) >= 0) start -= 1;
    const isEscape =
      start >= 3 && start < end && this.units[start - 1] === openBrace && toLower(this.units[start - 2] as number) === letterU &&
      this.units[start - 3] === backslash; // prettier-ignore
    return isEscape && this.#replace(this.length - start + 3, this.#hexBefore(end, end - start));
  }

  /**
   * `&#64` and `&#x40` without a semicolon end before the first character that is not a digit of theirs. The at sign
   * and the full stop are recognised before hexadecimal digits, too: a reader takes `&#x40example` for an at sign,
   * whatever a browser makes of it.
   * @param next the unit behind it, 0 at the end
   */
  #endNumericReference(next: number): void {
    const last = this.length - 1;
    if (last < 2 || !this.#hasNumber(last) || next === semicolon) return;
    const isHex = this.#states[last] === inHex;
    const value = hexValues[next] as number;
    if (value >= 0 && (isHex || value <= 9)) return;
    if (!isHex) {
      this.#replaceNumber(last, false);
      while (this.length > 0 && this.#replaceEnd());
      return;
    }
    const rest = (this.#digits[last] as number) - 2;
    if (rest < 0) return;
    const from = this.length - rest;
    const codePoint = this.#hexBefore(from, 2);
    if (codePoint !== at && codePoint !== dot) return;
    // The digits that remain move to the front; nothing that is written here reaches one that is still to be read.
    this.length = from;
    this.#replace(from - (this.#ampersands[last] as number), codePoint);
    if (rest === 0) this.#mayEndReference = this.length;
    while (this.length > 0 && this.#replaceEnd());
    for (let position = from; position < from + rest; position += 1)
      this.#push(this.units[position] as number, this.starts[position] as number, this.ends[position] as number);
  }

  /** `[at]`, `( dot )` */
  #replaceBracketed(): boolean {
    const { units } = this;
    let position = this.length - 2;
    if (position >= 0 && units[position] === space) position -= 1;
    const last = position < 0 ? 0 : toLower(units[position] as number);
    let isAt = last === at;
    if (last === letterT && position >= 1 && toLower(units[position - 1] as number) === letterA) {
      isAt = true;
      position -= 1;
    } else if (last === letterT && position >= 2 && toLower(units[position - 1] as number) === letterO) {
      if (toLower(units[position - 2] as number) !== letterD) return false;
      position -= 2;
    } else if (last !== at && last !== dot) return false;
    position -= 1;
    if (position >= 0 && units[position] === space) position -= 1;
    if (position < 0 || brackets[units[position] as number] !== 1) return false;
    return this.#replace(this.length - position, isAt ? at : dot);
  }

  /** Replaces the last units with a character in canonical spelling. */
  #replace(count: number, codePoint: number, isPercentEncoding = false): true {
    const { values, expansions } = this.#table;
    const first = this.length - count;
    const start = this.starts[first] as number;
    const end = this.ends[this.length - 1] as number;
    const mayEndReference = this.#mayEndReference === this.length;
    this.length = first;
    const value = values[Math.min(codePoint, beyondUnicode)] ?? semicolon;
    if (value >= firstExpansion) {
      const units = expansions[value - firstExpansion] as string;
      for (let index = 0; index < units.length; index += 1) this.#append(units.charCodeAt(index), start, end);
    } else if (value > 0) {
      this.#append(value, start, end);
      if (value === at && isPercentEncoding) this.isPercentEncoded[this.length - 1] = 1;
    }
    if (mayEndReference) this.#mayEndReference = this.length;
    return true;
  }

  #grow(): void {
    const grow = <List extends Uint8Array | Uint16Array | Int32Array>(list: List): List => {
      const longer = new (list.constructor as new (length: number) => List)(2 * list.length);
      longer.set(list);
      return longer;
    };
    this.units = grow(this.units);
    this.starts = grow(this.starts);
    this.ends = grow(this.ends);
    this.isPercentEncoded = grow(this.isPercentEncoded);
    this.#states = grow(this.#states);
    this.#ampersands = grow(this.#ampersands);
    this.#values = grow(this.#values);
    this.#digits = grow(this.#digits);
  }
}

const utf8Length = (firstByte: number): number => (firstByte >= 0xf0 ? 4 : firstByte >= 0xe0 ? 3 : 2);
