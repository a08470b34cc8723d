import type { GraphQLScalarType } from 'graphql';
import { parse, parseValue, validate } from 'graphql';
import { dateTimeScalar, decimalScalar, longScalar, urlScalar } from '../../src/graph/scalars';
import { createSchema } from '../../src/graph/schema';

const refused = Symbol('refused');
type Row = [value: unknown, result: unknown];

/** The value, or `refused` after checking that the message says what the scalar expects. */
function attempt(scalar: GraphQLScalarType, run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    expect((error as Error).message).toMatch(new RegExp(`\\b${scalar.name}\\b|date or time`));
    return refused;
  }
}

const input = (scalar: GraphQLScalarType, value: unknown) => attempt(scalar, () => scalar.parseValue(value));
const output = (scalar: GraphQLScalarType, value: unknown) => attempt(scalar, () => scalar.serialize(value));
const literal = (scalar: GraphQLScalarType, text: string) =>
  attempt(scalar, () => scalar.parseLiteral(parseValue(text), {}));

describe('DateTime', () => {
  const rows: Row[] = [
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31t12:00:00z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00.5Z', '2026-01-31T12:00:00.500Z'],
    ['2026-01-31T12:00:00.123000Z', '2026-01-31T12:00:00.123Z'],
    ['2026-01-31T12:00:00+01:30', '2026-01-31T10:30:00.000Z'],
    ['2026-01-31T23:30:00.001-23:59', '2026-02-01T23:29:00.001Z'],
    ['2026-01-31T12:00:00-00:00', '2026-01-31T12:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['2026-01-31T12:00:00', refused],
    ['2026-01-31', refused],
    ['2026-01-31 12:00:00Z', refused],
    ['2026-01-31T12:00Z', refused],
    ['2026-01-31T12:00:00.Z', refused],
    ['2026-01-31T12:00:00,5Z', refused],
    ['2026-01-31T12:00:00+0100', refused],
    ['2026-01-31T12:00:00+24:00', refused],
    ['2026-01-31T12:00:00+01:60', refused],
    ['2026-01-31T12:00:00.1234Z', refused],
    ['2026-02-30T12:00:00Z', refused],
    ['2025-02-29T12:00:00Z', refused],
    ['2026-13-01T12:00:00Z', refused],
    ['2026-00-01T12:00:00Z', refused],
    ['2026-01-31T24:00:00Z', refused],
    ['2026-01-31T12:60:00Z', refused],
    ['2016-12-31T23:59:60Z', refused],
    ['0000-12-31T00:00:00Z', refused],
    ['0001-01-01T00:00:00+01:00', refused],
    ['9999-12-31T23:59:59-01:00', refused],
    ['+002026-01-31T12:00:00Z', refused],
    [' 2026-01-31T12:00:00Z', refused],
    ['2026-01-31T12:00:00Z\n', refused],
    ['', refused],
    [1_769_860_800_000, refused],
    [null, refused],
    [new Date(0), refused],
  ];
  test.each(rows)('reads %p as %p', (value, result) => {
    expect(input(dateTimeScalar, value)).toBe(result);
    if (typeof value === 'string') expect(literal(dateTimeScalar, JSON.stringify(value))).toBe(result);
  });
  test.each(['1769860800', '1.5', 'true', 'NOW', '[]', '{}', 'null'])('refuses the literal %s', (text) => {
    expect(literal(dateTimeScalar, text)).toBe(refused);
  });
  test.each<Row>([
    ['2026-01-31T12:00:00.000Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00Z', refused],
    ['2026-01-31 12:00:00+00', refused],
    [0, refused],
  ])('writes %p as %p (D23)', (value, result) => {
    expect(output(dateTimeScalar, value)).toBe(result);
  });
});

describe('Decimal', () => {
  test.each<Row>([
    ['19.90', '19.90'],
    ['1200', '1200'],
    ['-0.00', '-0.00'],
    ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
    ['123456789012345678901234567890.123456789', '123456789012345678901234567890.123456789'],
    [19, '19'],
    [0, '0'],
    [19.9, refused],
    [1e21, refused],
    [9007199254740992, refused],
    [Number.NaN, refused],
    ['1e3', refused],
    ['+1', refused],
    ['.5', refused],
    ['5.', refused],
    ['007', refused],
    ['1,000', refused],
    ['1_000', refused],
    [' 1', refused],
    ['1\n', refused],
    ['0x10', refused],
    ['١', refused],
    ['NaN', refused],
    ['', refused],
    ['-', refused],
    ['9'.repeat(101), refused],
    [true, refused],
    [null, refused],
  ])('reads %p as %p (D21)', (value, result) => {
    expect(input(decimalScalar, value)).toBe(result);
  });
  test.each<[string, unknown]>([
    ['"19.90"', '19.90'],
    ['19.90', '19.90'],
    ['0.10000000000000000000001', '0.10000000000000000000001'],
    ['12345678901234567890', '12345678901234567890'],
    ['-0', '-0'],
    ['1e3', refused],
    ['1.0E-2', refused],
    ['true', refused],
    ['null', refused],
    ['[1]', refused],
  ])('keeps the digits of the literal %s: %p', (text, result) => {
    expect(literal(decimalScalar, text)).toBe(result);
  });
  test.each<Row>([
    ['19.90', '19.90'],
    ['007.10', '007.10'],
    ['-1', '-1'],
    [19.9, refused],
    ['1e3', refused],
    ['', refused],
  ])('writes %p as %p (D21)', (value, result) => {
    expect(output(decimalScalar, value)).toBe(result);
  });
});

describe('Long', () => {
  test.each<Row>([
    [4294967294, 4294967294],
    [9007199254740991, 9007199254740991],
    [-9007199254740991, -9007199254740991],
    [0, 0],
    [-0, 0],
    [9007199254740992, refused],
    [1.5, refused],
    [Number.POSITIVE_INFINITY, refused],
    ['1', refused],
    [1n, refused],
    [true, refused],
    [null, refused],
  ])('reads %p as %p', (value, result) => {
    expect(input(longScalar, value)).toBe(result);
  });
  test.each<[string, unknown]>([
    ['4294967294', 4294967294],
    ['-9007199254740991', -9007199254740991],
    ['9007199254740993', refused],
    ['1.0', refused],
    ['"1"', refused],
    ['null', refused],
  ])('reads the literal %s as %p', (text, result) => {
    expect(literal(longScalar, text)).toBe(result);
  });
  test.each<Row>([
    [4294967294, 4294967294],
    ['9007199254740993', refused],
    ['', refused],
    ['1.5', refused],
    [1.5, refused],
    [true, refused],
    [null, refused],
  ])('writes %p as %p (D22)', (value, result) => {
    expect(output(longScalar, value)).toBe(result);
  });
});

describe('URL', () => {
  test.each<Row>([
    ['//cdn.example/a b.jpg', '//cdn.example/a b.jpg'],
    ['', ''],
    [1, refused],
  ])("writes the shop's own text %p as %p, as REST does (D11)", (value, result) => {
    expect(output(urlScalar, value)).toBe(result);
  });
});

test.each([
  ['createdAt: { from: "2026-01-31T00:00:00Z", to: "2026-02-01" }', '"2026-02-01"'],
  ['price: { min: "0.5", max: "1e3" }', '"1e3"'],
  ['totalStock: { min: 0, max: 9007199254740992 }', '9007199254740992'],
])('an error about %s says which value it found, and where', (condition, value) => {
  const source = `{ products(filter: { ${condition} }) { totalCount } }`;
  const [{ message, locations } = {}, ...others] = validate(createSchema(), parse(source));
  expect([message, locations, others]).toEqual([
    expect.stringContaining(`found ${value}; `),
    [{ line: 1, column: source.indexOf(value) + 1 }],
    [],
  ]);
});
