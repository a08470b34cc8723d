import { SourceLocation } from '../../src/ingest/values/import-error';
import { parseBoolean } from '../../src/ingest/values/boolean';
import { type DecimalSign, NumberStyle } from '../../src/ingest/values/number-style';

const read = (style: NumberStyle, texts: readonly string[]): string[] =>
  texts.map((text, index) => style.toPlain(text, new SourceLocation('file', index + 2, 'column "Price"')));

describe('numbers of a file that may have decimal commas', () => {
  it.each<[what: string, given: string[], expected: string[]]>([
    ['a decimal comma', ['19,90', '0,5', '1200', '-4,50', ',5', '1,5E+3'], ['19.90', '0.5', '1200', '-4.50', '.5', '1.5E+3']],
    ['a decimal point', ['19.90', '0.5', '1200', '1.250', '+4.5'], ['19.90', '0.5', '1200', '1.250', '+4.5']],
    ['thousands of both kinds, then', ['1.234,56', '1,250'], ['1234.56', '1.250']],
    ['thousands with commas', ['1,234.56', '1.250', '1,234,567.8'], ['1234.56', '1.250', '1234567.8']],
    ['thousands alone, twice', ['1.234.567', '2,5'], ['1234567', '2.5']],
    ['spaces and apostrophes', ['1 234,56', '1\u202f234,5', "1'234,50", '1 234 567'], ['1234.56', '1234.5', '1234.50', '1234567']],
    ['one group of thousands behind one with decimals', ['1.234,50', '1.250', '-2.500'], ['1234.50', '1250', '-2500']],
    ['one group of thousands behind two', ['1,234,567', '1,250', '1.250'], ['1234567', '1250', '1.250']],
    ['kilograms below one', ['0,250', '1,250'], ['0.250', '1.250']],
    ['what is not a number', ['abc', '19,90 €', '12-5', ''], ['abc', '19,90 €', '12-5', '']],
  ])('%s', (_, given, expected) => {
    expect(read(new NumberStyle(undefined, true), given)).toEqual(expected);
  }); // prettier-ignore

  it.each<[what: string, given: string[], problem: string]>([
    ['1,250 before anything decides', ['1,250'], 'line 2, column "Price": expected an unambiguous number (this is 1.250 or 1250: choose with --decimal comma or --decimal point), got "1,250"'],
    ['1.250 before anything decides', ['1.250'], 'line 2, column "Price": expected an unambiguous number (this is 1.250 or 1250: choose'],
    ['1.250 among decimal commas', ['19,90', '1.250'], 'line 3, column "Price": expected an unambiguous number (this is 1.250 or 1250: choose'],
    ['a point among commas', ['19,90', '12.50'], 'line 3, column "Price": expected a number with a decimal comma, as in line 2 (choose'],
    ['thousands that are not', ['12.34,56'], 'line 2, column "Price": expected a number with a decimal comma, got'],
  ])('requires the option: %s', (_, given, problem) => {
    expect(() => read(new NumberStyle(undefined, true), given)).toThrow(`file, ${problem}`);
  }); // prettier-ignore

  it.each<[DecimalSign, string, string]>([
    ['comma', '1,250', '1.250'],
    ['comma', '1.250', '1250'],
    ['point', '1.250', '1.250'],
    ['point', '1,250', '1250'],
  ])('reads them as the user sets: %s, %s', (sign, given, expected) => {
    expect(read(new NumberStyle(sign, true), [given])).toEqual([expected]);
  });

  it('does not change numbers of comma-separated files, and reports the option', () => {
    const style = new NumberStyle('point', false);
    expect(read(style, ['15.000', '1e3', 'x', "1'0"])).toEqual(['15.000', '1e3', 'x', "1'0"]);
    expect(() => read(style, ['19,90'])).toThrow(
      'file, line 2, column "Price": expected a decimal number such as 19.90 (where commas are decimal signs, set --decimal comma), got "19,90"',
    );
  });
});

it.each([
  ['WAHR', true], ['FALSCH', false], ['VRAI', true], ['FAUX', false], ['verdadero', true], ['Falso', false], ['TRUE', true], ['false', false],
  ['ИСТИНА', true], ['EPÄTOSI', false], ['EPÄTOSI'.normalize('NFD'), false], ['1', undefined], ['ja', undefined], ['', undefined],
])('%s is the boolean %s', (word, expected) => {
  expect(parseBoolean(word)).toBe(expected);
}); // prettier-ignore
