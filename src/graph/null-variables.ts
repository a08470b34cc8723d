import type { DocumentNode, GraphQLSchema } from 'graphql';
import { isNonNullType, Kind, TypeInfo, visit, visitWithTypeInfo } from 'graphql';

/**
 * The variables that may be null and are used where null is not allowed, as a default permits (GraphQL, section 5.8.5).
 * Null is an error there when the operation runs; graphql-jit takes it for a value.
 * @param document Valid.
 */
export function variablesRefusingNull(schema: GraphQLSchema, document: DocumentNode): readonly string[] {
  const nullable = new Set(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION
        ? (definition.variableDefinitions ?? [])
            .filter(({ type }) => type.kind !== Kind.NON_NULL_TYPE)
            .map(({ variable }) => variable.name.value)
        : [],
    ),
  );
  if (nullable.size === 0) return [];
  const found = new Set<string>();
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Variable({ name }) {
        if (nullable.has(name.value) && isNonNullType(types.getInputType())) found.add(name.value);
      },
    }),
  );
  return [...found];
}
