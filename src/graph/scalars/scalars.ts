import type { GraphQLScalarType } from 'graphql';
import { dateTimeScalar } from './date-time';
import { decimalScalar } from './decimal';
import { longScalar } from './long';
import { urlScalar } from './url';

/** Every scalar of schema.graphql that is not built into GraphQL, by its name, in the form of resolvers. */
export const scalars: Readonly<Record<string, GraphQLScalarType>> = {
  DateTime: dateTimeScalar,
  Decimal: decimalScalar,
  Long: longScalar,
  URL: urlScalar,
};
