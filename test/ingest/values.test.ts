import { decodeEntities } from '../../src/common/html-entities';
import { fc } from '../support/properties';
import { SourceLocation } from '../../src/ingest/values/import-error';
import {
  addDecimals,
  lessPercent,
  parseDecimal,
  parseWholeNumber,
  positionBounds,
  safeBounds,
  subtractDecimals,
  sumDecimals,
} from '../../src/ingest/values/numbers';
import { numberLiteral, parseJsonLine } from '../../src/ingest/values/json-line';
import { parseTimestamp } from '../../src/ingest/values/timestamp';
import { fromGrams } from '../../src/ingest/values/weight';

const location = new SourceLocation('file', 7, 'field');

describe('a decimal (D21)', () => {
  it.each([
    ['19.90', '19.90'],
    ['1200', '1200'],
    ['15.000', '15.000'],
    ['0', '0'],
    ['-4.50', '-4.50'],
    ['+4.50', '4.50'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['1e3', '1000'],
    ['1.5E+3', '1500'],
    ['1.50e1', '15.0'],
    ['1e-7', '0.0000001'],
    ['12.5e-1', '1.25'],
    ['0.001e2', '0.1'],
    ['-1.25e1', '-12.5'],
    ['123456789012345678901234567890.12', '123456789012345678901234567890.12'],
  ])('%s becomes %s', (given, expected) => {
    expect(parseDecimal(given, location)).toBe(expected);
  });

  it.each([
    '',
    '.',
    '-',
    'abc',
    '1,50',
    '1.234,50',
    '$5',
    '1 000',
    'NaN',
    'Infinity',
    '0x10',
    '1e',
    '--1',
    '1e9999999',
    '٣',
  ])('%p is rejected', (given) => {
    expect(() => parseDecimal(given, location)).toThrow(/^file, line 7, field: expected a decimal number/);
  });
});

describe('a whole number (D22)', () => {
  it.each([
    ['4294967294', '4294967294'],
    ['-9007199254740991', '-9007199254740991'],
    ['007', '7'],
    ['10.0', '10'],
    ['-0', '0'],
  ])('%s becomes %s', (given, expected) => {
    expect(parseWholeNumber(given, safeBounds, location)).toBe(expected);
  });

  it.each(['', '1.5', '1e3', '9007199254740992', 'many'])('%p is rejected', (given) => {
    expect(() => parseWholeNumber(given, safeBounds, location)).toThrow(/expected an integer/);
  });

  it('is rejected beyond the limits of its column', () => {
    expect(() => parseWholeNumber('2147483648', positionBounds, location)).toThrow(/expected an integer/);
  });
});

describe('a timestamp (D23)', () => {
  it.each([
    ['2026-01-31T12:00:00.000Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31t12:00:00z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-08-24 13:18:57 +0200', '2026-08-24T11:18:57.000Z'],
    ['2026-08-24 13:18:57 UTC', '2026-08-24T13:18:57.000Z'],
    ['2026-01-01T00:30:00+05:45', '2025-12-31T18:45:00.000Z'],
    ['2026-01-01T00:00:00-11', '2026-01-01T11:00:00.000Z'],
    ['2026-01-31T12:00:00.1239999Z', '2026-01-31T12:00:00.123Z'],
    ['2026-01-31T12:00:00,5Z', '2026-01-31T12:00:00.500Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0099-06-01T00:00:00Z', '0099-06-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s becomes %s', (given, expected) => {
    expect(parseTimestamp(given, location)).toBe(expected);
  });

  it.each([
    '2026-02-29T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-31T24:00:00Z', '2026-01-31T12:60:00Z',
    '2026-01-31T12:00:00+24:00', '0000-01-01T00:00:00.000Z', '0001-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00',
    '2026-02-30T00:00:00.000Z',
  ])('%s is rejected: no such time', (given) => {
    expect(() => parseTimestamp(given, location)).toThrow(/valid date and time/);
  }); // prettier-ignore

  it.each(['2026-01-31', '2026-01-31T12:00:00', '2026-01-31 12:00:00.5'])('%s is rejected: no zone', (given) => {
    expect(() => parseTimestamp(given, location)).toThrow(/no time or no time zone/);
  });

  it.each(['', 'yesterday', '31.01.2026', '1769860800', '+12026-01-01T00:00:00Z'])('%p is rejected', (given) => {
    expect(() => parseTimestamp(given, location)).toThrow(/^file, line 7, field: expected a timestamp/);
  });
});

describe('a weight that the file gives in grams', () => {
  it.each([
    ['200', 'g', '200'],
    ['0.0', null, '0.0'],
    ['1500', 'kg', '1.5'],
    ['1', 'kg', '0.001'],
    ['0', 'kg', '0'],
    ['454', 'lb', '1'],
    ['1134', 'lb', '2.5'],
    ['28', 'oz', '1'],
    ['340', 'OZ', '12'],
  ])('of %s is shown in %s as %s', (given, unit, expected) => {
    expect(fromGrams(given, unit, location)).toBe(expected);
  });

  it('is rejected in any other unit', () => {
    expect(() => fromGrams('5', 'stone', location)).toThrow(
      'file, line 7, field: expected g, kg, oz or lb, got "stone"',
    );
  });
});

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
  ])('keeps the number %s after any sign, with and without blanks', (digits) => {
    for (const blank of ['', ' ', '\t', '\r']) {
      const text = `{"a":${blank}${digits},"b":[${blank}${digits}${blank},${blank}${digits}${blank}]${blank},"c":"${digits}"}`;
      const parsed = parseJsonLine(text, location);
      expect([parsed['a'], ...(parsed['b'] as unknown[])].map(numberLiteral)).toEqual([digits, digits, digits]);
      expect(numberLiteral(parsed['c'])).toBeUndefined();
      expect(parsed['c']).toBe(digits);
    }
  });

  it('keeps timestamps beside numbers, and numbers beside texts that look like them', () => {
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
  it('adds decimals up exactly', () => {
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
