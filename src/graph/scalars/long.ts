import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

/** A whole number beyond GraphQL's 32 bits, as far as JSON numbers are exact (D22). */
export const longScalar = new GraphQLScalarType<number, number>({
  name: 'Long',
  description: 'A whole number beyond 32 bits, exact up to 2^53 − 1 in both directions.',
  serialize(value) {
    // The database returns sums as bigint or as text.
    const number =
      typeof value === 'bigint' || (typeof value === 'string' && /^-?\d{1,16}$/.test(value)) ? Number(value) : value;
    if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
    throw new TypeError('A Long must be a whole number that JSON can express exactly.');
  },
  parseValue(value) {
    if (typeof value !== 'number') throw notALong();
    return checkSafe(value);
  },
  parseLiteral(node) {
    if (node.kind !== Kind.INT) throw notALong();
    return checkSafe(Number(node.value));
  },
});

function checkSafe(value: number): number {
  // -0 is a whole number too, but no database column holds it.
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  throw notALong();
}

const notALong = (): GraphQLError =>
  new GraphQLError('A Long must be a whole number from -9007199254740991 to 9007199254740991.');
