import { once } from '../common/once';
/*
 * The units of every character: the ASCII characters that represent it in a canonical spelling (canonical-text.ts).
 * None for characters that are not shown, one for most, up to four for compatibility forms such as `⑽`.
 */

/** The values of `UnitTable.values` from here on are places in `UnitTable.expansions`; those below are the unit. */
export const firstExpansion = 0x80;

export interface UnitTable {
  /** By code point: 0 for no unit, an ASCII code, or a place in `expansions`, counted from `firstExpansion`. */
  readonly values: Uint16Array;
  /** The units of characters that have several. */
  readonly expansions: readonly string[];
  /**
   * By value: 1 for characters that can be part of an address that shows no at sign, wherever they are. They have no
   * unit, or units that can begin an encoding or be a letter or bracket of `(at)` and `dot`.
   */
  readonly isTelling: readonly boolean[];
}

/**
 * The table is created when the first text needs it, once per process, in some 70 ms of CPU time. A lookup takes a
 * nanosecond, where normalization and Unicode properties take up to ten microseconds per character.
 */
export const unitTable = once(createUnitTable);

/** The units of a character as a text. */
export function toUnits(codePoint: number): string {
  const { values, expansions } = unitTable();
  const value = values[codePoint] ?? semicolon;
  if (value >= firstExpansion) return expansions[value - firstExpansion] as string;
  return value === 0 ? '' : String.fromCharCode(value);
}

const semicolon = 0x3b;

/** Later classes win. Classes, because only ASCII marks where an address begins and ends. `;` is part of none. */
const classes: readonly (readonly [pattern: RegExp, unit: string])[] = [
  [/[\p{Pc}\p{S}\p{N}]+/gu, '_'],
  [/[\p{Pd}·・]+/gu, '-'],
  [/[‘’‛]+/gu, "'"],
  [/[“”„‟«»]+/gu, '"'],
  [/[\p{L}\p{M}]+/gu, 'x'],
  [/\u3002/gu, '.'], // The ideographic full stop separates labels of domains (UTS 46).
  [/[\s\u0085]+/gu, ' '],
];
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]+/gu;
/** Every character that NFKC changes, and others. */
const mayHaveOtherForm = /\p{Changes_When_NFKC_Casefolded}/gu;

/**
 * Compatibility forms that expand to more than this are words (U+FDFA becomes 18 characters) and become two letters.
 */
const maxExpansion = 4;

/** Where characters are assigned or ignorable; all others are `;`, and so are surrogates. */
const ranges: readonly (readonly [from: number, to: number])[] = [
  [0x80, 0xd7ff],
  [0xe000, 0xffff],
  [0x10000, 0x3ffff],
  [0xe0000, 0xe0fff],
];

function createUnitTable(): UnitTable {
  const values = new Uint16Array(0x110000).fill(semicolon);
  for (let code = 0; code < 0x80; code += 1) values[code] = code > 0x20 && code < 0x7f ? code : toBlank(code);
  const texts = ranges.map(([from, to]) => ({ from, width: from > 0xffff ? 2 : 1, text: textOf(from, to) }));
  for (const { from, width, text } of texts) {
    const fill = (pattern: RegExp, value: number): void => {
      for (const { index, 0: run } of text.matchAll(pattern))
        values.fill(value, from + index / width, from + (index + run.length) / width);
    };
    fill(invisible, 0);
    for (const [pattern, unit] of classes) fill(pattern, unit.charCodeAt(0));
    fill(/\p{Default_Ignorable_Code_Point}+/gu, 0); // Letters and marks among them.
  }
  const expansions: string[] = [];
  const known = new Map<string, number>();
  const others = texts.flatMap(({ text }) => text.match(mayHaveOtherForm) ?? []);
  const changed = others.map((character) => [character, character.normalize('NFKC')] as const);
  // The parts of such a form are characters that NFKC does not change.
  for (const [character, form] of changed) {
    const codePoint = character.codePointAt(0) as number;
    if (form === character || values[codePoint] === 0 || values[codePoint] === 0x20) continue;
    const units = form.length > maxExpansion ? 'xx' : Array.from(form, (part) => toUnitOfPart(values, part)).join('');
    if (units.length === 1) values[codePoint] = units.charCodeAt(0);
    else {
      if (!known.has(units)) known.set(units, firstExpansion + expansions.push(units) - 1);
      values[codePoint] = known.get(units) as number;
    }
  }
  const all = [
    ...Array.from({ length: firstExpansion }, (_, code) => (code === 0 ? '' : String.fromCharCode(code))),
    ...expansions,
  ];
  return { values, expansions, isTelling: all.map((units) => units === '' || /[atdo@%&\\([{<]/i.test(units)) };
}

/**
 * Tab, line feed, vertical tab, form feed, carriage return and space are white space; other control characters are not
 * shown.
 */
const toBlank = (code: number): number => (code === 0x20 || (code >= 9 && code <= 13) ? 0x20 : 0);

/** A part that is not shown separates nothing inside a form, and has a unit there: `;`. */
const toUnitOfPart = (values: Uint16Array, part: string): string =>
  String.fromCharCode((values[part.codePointAt(0) as number] as number) || semicolon);

/** All characters from one code point to another, of the same width. */
function textOf(from: number, to: number): string {
  const codes = new Uint16Array((to - from + 1) * (from > 0xffff ? 2 : 1));
  let at = 0;
  for (let codePoint = from; codePoint <= to; codePoint += 1) {
    if (codePoint > 0xffff) codes[at++] = 0xd7c0 + (codePoint >> 10);
    codes[at++] = codePoint > 0xffff ? 0xdc00 + (codePoint & 0x3ff) : codePoint;
  }
  return new TextDecoder('utf-16').decode(codes);
}
