import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

/** Output is what the shop gave: plain notation, any number of digits (D21). */
const plainNotation = /^-?\d+(\.\d+)?$/;

/** Input has one spelling of its whole part. */
const inputNotation = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** Far beyond any price, far below what would slow a comparison in the database down. */
const maxLength = 100;

/** A decimal number as text. It is never converted to a float, neither on input nor on output (D21). */
export const decimalScalar = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  description:
    'A decimal number as text, in plain notation and with the digits the shop gave: `"19.90"` stays `"19.90"`.',
  serialize(value) {
    if (typeof value === 'string' && plainNotation.test(value)) return value;
    throw new TypeError('A Decimal must be given as text in plain notation.');
  },
  parseValue(value) {
    if (typeof value === 'string') return parseDecimal(value);
    // JSON numbers are already floats: only whole ones are sure to have kept their digits.
    if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
    throw notADecimal();
  },
  parseLiteral(node) {
    // The document's own text: `19.90` keeps its zero.
    if (node.kind === Kind.STRING || node.kind === Kind.INT || node.kind === Kind.FLOAT)
      return parseDecimal(node.value);
    throw notADecimal();
  },
});

function parseDecimal(text: string): string {
  if (text.length > maxLength) throw new GraphQLError(`A Decimal has at most ${maxLength} characters.`);
  if (!inputNotation.test(text)) throw notADecimal();
  return text;
}

const notADecimal = (): GraphQLError =>
  new GraphQLError('A Decimal must be text in plain notation such as "19.90", without exponent, or a whole number.');
