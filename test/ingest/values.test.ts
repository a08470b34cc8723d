import { decodeEntities } from '../../src/common/html-entities';
import { fc } from '../support/properties';
import { SourceLocation } from '../../src/ingest/values/import-error';
import { addDecimals, lessPercent, subtractDecimals, sumDecimals } from '../../src/ingest/values/numbers';
import { numberLiteral, parseJsonLine } from '../../src/ingest/values/json-line';

const location = new SourceLocation('file', 7, 'field');

describe('a JSON line', () => {
  it('keeps the digits of its numbers, at any depth, and does not change digits inside strings (D21)', () => {
    const parsed = parseJsonLine(String.raw`{"a":19.90,"b":[1e-7,-0.50],"c":"1.50 \"2.50\" \\","d":true}`, location);
    expect(numberLiteral(parsed['a'])).toBe('19.90');
    expect((parsed['b'] as unknown[]).map(numberLiteral)).toEqual(['1e-7', '-0.50']);
    expect(parsed['c']).toBe('1.50 "2.50" \\');
    expect(parsed['d']).toBe(true);
  });

  it.each([
    ...[
      '0',
      '7',
      '-0',
      '-7',
      '10.0',
      '0.10',
      '1e3',
      '1E-3',
      '123456789012345',
      '1234567890123456',
      '12345678901234567890',
    ],
    ...['-1e400', '999999999999999', '1000000000000000.0'],
  ])('keeps the number %s after any punctuation, with and without spaces', (digits) => {
    for (const blank of ['', ' ', '\t', '\r']) {
      const text = `{"a":${blank}${digits},"b":[${blank}${digits}${blank},${blank}${digits}${blank}]${blank},"c":"${digits}"}`;
      const parsed = parseJsonLine(text, location);
      expect([parsed['a'], ...(parsed['b'] as unknown[])].map(numberLiteral)).toEqual([digits, digits, digits]);
      expect(numberLiteral(parsed['c'])).toBeUndefined();
      expect(parsed['c']).toBe(digits);
    }
  });

  it('keeps timestamps next to numbers, and numbers next to texts that look like them', () => {
    const parsed = parseJsonLine(
      '{"at":"2026-01-31T12:00:00.000Z","n":5,"text":"a, 5.50: -3, [1e5","d":"12:30:00.5+02:00"}',
      location,
    );
    expect(parsed['at']).toBe('2026-01-31T12:00:00.000Z');
    expect(numberLiteral(parsed['n'])).toBe('5');
    expect(parsed['text']).toBe('a, 5.50: -3, [1e5');
    expect(parsed['d']).toBe('12:30:00.5+02:00');
  });

  it.each(['{"a":1.5Z}', '{"a":1.5+1}', '{"a":1.5-1}', '{"a":007}', '{"a":5 5}'])('%s is rejected, too', (line) => {
    expect(() => parseJsonLine(line, location)).toThrow(/is not valid JSON/);
  });

  it.each(['{"a":01}', '{"a":1.}', '{"a":-}', '{"a":+1}', '{"a":1-2}', '{"a" 1}', '{"a":"', '{'])(
    '%s is rejected',
    (line) => {
      expect(() => parseJsonLine(line, location)).toThrow(/is not valid JSON/);
    },
  );

  it.each(['[]', '1', '"a"', 'null'])('%s is rejected, because it is not an object', (line) => {
    expect(() => parseJsonLine(line, location)).toThrow(/expected a JSON object/);
  });

  it('reports the member that contains a NUL character or half a surrogate pair', () => {
    const row = new SourceLocation('file', 3);
    expect(() => parseJsonLine(String.raw`{"title":"a\u0000"}`, row)).toThrow(
      'file, line 3, title: contains a NUL character',
    );
    expect(() => parseJsonLine(String.raw`{"title":"\ud83d"}`, row)).toThrow(
      'file, line 3, title: contains an unpaired surrogate',
    );
    expect(parseJsonLine(String.raw`{"title":"\ud83d\ude00 \\u0000"}`, row)).toEqual({ title: '😀 \\u0000' });
  });
});

describe('values of WooCommerce', () => {
  it('adds decimals exactly', () => {
    const cents = fc.array(fc.integer({ min: -1e9, max: 1e9 }), { maxLength: 20 });
    const toText = (value: number): string => `${value < 0 ? '-' : ''}${Math.floor(Math.abs(value) / 100)}.${String(Math.abs(value) % 100).padStart(2, '0')}`; // prettier-ignore
    fc.assert(
      fc.property(cents, (values) => {
        const total = values.reduce((sum, value) => sum + value, 0);
        expect(sumDecimals(values.map(toText))).toBe(values.length === 0 ? '0' : toText(total));
      }),
      { examples: [[[]], [[0]], [[0, 0]], [[5, -5]]] },
    );
    expect(sumDecimals(['0.1', '0.2', '1', '-2.345'])).toBe('-1.045');
  });

  it.each([
    ['a &amp; b &ndash; &eacute;&#8217;&#x1F3FA;', 'a & b – é’🏺'],
    ['&amp;lt;', '&lt;'],
    ['AT&T &unknown; &#0; &#xD800; &#99999999; &', 'AT&T &unknown; &#0; &#xD800; &#99999999; &'],
  ])('decodes %s', (html, text) => {
    expect(decodeEntities(html)).toBe(text);
  });
});

describe('decimals are added exactly', () => {
  it.each([
    [addDecimals('10', '0.0'), '10'],
    [addDecimals('0.1', '0.20'), '0.30'],
    [addDecimals('-0.05', '0.01'), '-0.04'],
    [addDecimals('99999999999999999999.9', '0.1'), '100000000000000000000.0'],
    [subtractDecimals('10', '1.25'), '8.75'],
    [subtractDecimals('1', '-1'), '2'],
    [lessPercent('19.99', '15'), '16.99'],
    [lessPercent('0.125', '50'), '0.063'],
    [lessPercent('10', '33.3'), '6.67'],
    [lessPercent('-10', '33.3'), '-6.67'],
  ])('%s is %s', (found, expected) => {
    expect(found).toBe(expected);
  });
});
