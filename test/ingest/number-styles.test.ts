import { SourceLocation } from '../../src/ingest/values/import-error';
import { parseBoolean } from '../../src/ingest/values/boolean';
import { type DecimalSign, NumberStyle } from '../../src/ingest/values/number-style';
import { readRows } from '../support/read-rows';

const read = (style: NumberStyle, texts: readonly string[]): string[] =>
  texts.map((text, index) => style.toPlain(text, new SourceLocation('file', index + 2, 'column "Price"')));

describe('numbers of a file that may have decimal commas', () => {
  it.each(readRows<[what: string, given: string[], expected: string[]]>(__dirname, 'number-styles.json'))('%s', (_, given, expected) => {
    expect(read(new NumberStyle(undefined, true), given)).toEqual(expected);
  }); // prettier-ignore

  it.each<[what: string, given: string[], problem: string]>([
    ['1,250 before anything decides', ['1,250'], 'line 2, column "Price": expected an unambiguous number (this is 1.250 or 1250: choose with --decimal comma or --decimal point), got "1,250"'],
    ['1.250 before anything decides', ['1.250'], 'line 2, column "Price": expected an unambiguous number (this is 1.250 or 1250: choose'],
    ['1.250 among decimal commas', ['19,90', '1.250'], 'line 3, column "Price": expected an unambiguous number (this is 1.250 or 1250: choose'],
    ['a point among commas', ['19,90', '12.50'], 'line 3, column "Price": expected a number with a decimal comma, as on line 2 (choose'],
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
      'file, line 2, column "Price": expected a decimal number such as 19.90 (if commas are decimal separators, set --decimal comma), got "19,90"',
    );
  });
});

it.each([
  ['WAHR', true], ['FALSCH', false], ['VRAI', true], ['FAUX', false], ['verdadero', true], ['Falso', false], ['TRUE', true], ['false', false],
  ['ИСТИНА', true], ['EPÄTOSI', false], ['EPÄTOSI'.normalize('NFD'), false], ['1', undefined], ['ja', undefined], ['', undefined],
])('%s is the boolean %s', (word, expected) => {
  expect(parseBoolean(word)).toBe(expected);
}); // prettier-ignore
