import { holdsAddress, mayHoldAddress } from '../../src/privacy/addresses';
import { foldCharacter } from '../../src/privacy/canonical-text';
import { fc } from '../support/properties';

/*
 * The quick check decides whether a text is searched at all. So whatever the search finds, the quick check must say
 * "maybe" to: for every character of Unicode, at every place where one can take part in an address without an at sign.
 */

/** Texts that become an address with the right character in place of `?`. */
const contexts = [
  'bob?example.com', 'bob?at)example.com', 'bob(?t)example.com', 'bob(a?)example.com', 'bob(?)example.com', 'bob(?at)example.com',
  'bob(a?t)example.com', 'bob(at?)example.com', 'bob ?at example dot com', 'bob?at example dot com', 'bob a?t example dot com',
  'bob ?t example dot com', 'bob at?example dot com', 'bob at example?dot com', 'bob at example ?ot com', 'bob at example d?t com',
  'bob at example do? com', 'bob at example d?ot com', 'bob at example do?t com', 'bob at example dot?com', 'bob at example?dot?com',
  'bob?40example.com', 'bob%?0example.com', 'bob%4?example.com', 'bob%?40example.com', 'bob%4?0example.com', 'bob?#64;example.com',
  'bob&?64;example.com', 'bob&?#64;example.com', 'bob&#?64;example.com', 'bob&#6?;example.com', 'bob&?ommat;example.com',
  'bob?commat;example.com', 'bob&?commat;example.com', 'bob?u0040example.com', 'bob\\?0040example.com', 'bob\\?u0040example.com',
  'bob\\u?0040example.com', 'bob\\u004?example.com', 'bob\\?40example.com', 'bob\\u?40}example.com', 'bob\\u{40?example.com',
  '<bob?mailhost>', 'mailto:bob?mailhost', 'bob?localhost', 'bob(?a?t?)example.com',
]; // prettier-ignore

/** How the search sees a character: letters of other scripts are all the same to it. */
const toUnits = (codePoint: number): string =>
  foldCharacter(String.fromCodePoint(codePoint)).replaceAll(/[^\0-\x7f]/gu, 'x');

/**
 * Characters that map to the same units are the same to the search. The first 256 stay separate, because JSON writes
 * some of them differently.
 */
function groupCharacters(): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += 1) {
    const name = codePoint < 0x100 ? `${codePoint}` : `units ${toUnits(codePoint)}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [codePoint]);
    else group.push(codePoint);
  }
  return groups;
}

it('every character at every place: the quick check misses nothing that the search finds', () => {
  const groups = groupCharacters();
  let found = 0;
  const overlooked: string[] = [];
  for (const context of contexts)
    for (const group of groups.values()) {
      const put = (codePoint: number): string => context.replaceAll('?', () => String.fromCodePoint(codePoint));
      if (!holdsAddress(put(group[0] as number))) continue;
      found += group.length;
      for (const codePoint of group) {
        const text = put(codePoint);
        if (!mayHoldAddress(text) || !mayHoldAddress(JSON.stringify(text))) overlooked.push(JSON.stringify(text));
      }
    }
  expect(overlooked.slice(0, 20)).toEqual([]);
  // Invisible characters, 4,211 of them, between the letters of `at` and elsewhere.
  expect(found).toBeGreaterThan(50_000);
});

it('has the code units that its definition requires', () => {
  const expected = (codePoint: number): string => {
    const character = String.fromCodePoint(codePoint);
    if (/[\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(character)) return '';
    if (/[\s\u0085]/.test(character)) return ' ';
    if (/\p{Cc}/u.test(character)) return '';
    const form = character.normalize('NFKC').toLowerCase();
    if (form.length > 4) return 'xx';
    return Array.from(form, (part) => {
      if (part < '\u0080') return part;
      if (/[“”„‟«»]/.test(part)) return '"';
      if (/[‘’‛]/.test(part)) return "'";
      if (part === '。') return '.';
      return /[\p{L}\p{M}\p{Pc}\p{Pd}\p{S}\p{N}·・]/u.test(part) ? 'x' : ';';
    }).join('');
  };
  const wrong: string[] = [];
  // Private-use characters beyond these count as `;`, as do the ignorable ones of plane 14.
  for (let codePoint = 0; codePoint < 0x40000; codePoint += 1) {
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
    if (toUnits(codePoint) !== expected(codePoint)) wrong.push(codePoint.toString(16));
  }
  expect(wrong).toEqual([]);
  expect([0xe0001, 0xe0fff, 0xe1000, 0x10ffff, 0xd800].map(toUnits)).toEqual(['', '', ';', ';', ';']);
});

describe('a text of pieces that can be part of a hidden address', () => {
  const pieces = [
    'bob', ' ', '\n', '\t', '\b', '\f', '(', '[', '{', '<', ')', ']', '}', '>', 'a', 't', 'at', 'AT', 'd', 'dot', 'o', '.', '%', '%40', '&',
    '&#64', ';', '#', '\\', 'u', 'x', '40', '0040', '{40}', 'example.com', 'com', ' dot ', ' at ', 'ª', 'ᵃ', 'ⓐ', '⒜', '\u200b', '\u00ad',
    '\u0085', '\u2028', '\u0001', '\u{e0041}', '％', '＆', '＼', '（', '&bsol', '&lpar', '&amp', '&nbsp', 'é', '"', ',', '/',
  ]; // prettier-ignore

  it('is searched whenever the search would find one, also in its JSON', () => {
    const text = fc.array(fc.constantFrom(...pieces), { minLength: 2, maxLength: 14 }).map((parts) => parts.join(''));
    let found = 0;
    fc.assert(
      fc.property(text, (middle) => {
        const whole = `bob${middle}example dot com`;
        if (!holdsAddress(whole)) return;
        found += 1;
        expect([whole, mayHoldAddress(JSON.stringify([whole]))]).toEqual([whole, true]);
      }),
      { numRuns: 20_000 },
    );
    expect(found).toBeGreaterThan(100);
  });
});
