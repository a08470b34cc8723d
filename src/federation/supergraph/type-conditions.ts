import type { GraphQLSchema } from 'graphql';
import { isAbstractType, isInterfaceType, isObjectType } from 'graphql';

/**
 * Whether an object of a named type satisfies a condition on a named type: is it, implements it or is a member of it.
 */
export type TypeCondition = (typeName: string | undefined, condition: string) => boolean;

export function createTypeCondition(schema: GraphQLSchema): TypeCondition {
  return (typeName, condition) => {
    if (typeName === undefined || typeName === condition) return typeName === condition;
    const type = schema.getType(typeName);
    const abstract = schema.getType(condition);
    return (
      (isObjectType(type) || isInterfaceType(type)) && isAbstractType(abstract) && schema.isSubType(abstract, type)
    );
  };
}
