import type { TypeNode } from 'graphql';
import { Kind } from 'graphql';

/** The name of a type without its lists and its non-nulls. */
export const namedType = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);
