import type { GraphQLScalarType } from 'graphql';
import { dateTimeScalar } from './date-time';
import { decimalScalar } from './decimal';
import { longScalar } from './long';
import { urlScalar } from './url';

/** Every scalar of schema.graphql that GraphQL does not bring itself, by its name: ready to stand among the resolvers. */
export const scalars: Readonly<Record<string, GraphQLScalarType>> = {
  DateTime: dateTimeScalar,
  Decimal: decimalScalar,
  Long: longScalar,
  URL: urlScalar,
};
