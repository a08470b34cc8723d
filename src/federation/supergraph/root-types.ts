import type { DocumentNode, OperationTypeDefinitionNode } from 'graphql';
import { Kind, OperationTypeNode } from 'graphql';

/** The root types of a document by operation: those of its schema definition; without one, those of the usual names. */
export function rootTypes(document: DocumentNode): ReadonlyMap<OperationTypeNode, string> {
  const operations = document.definitions.flatMap((definition) =>
    definition.kind === Kind.SCHEMA_DEFINITION || definition.kind === Kind.SCHEMA_EXTENSION
      ? (definition.operationTypes ?? [])
      : [],
  );
  if (operations.length === 0) return usualRoots;
  return new Map(operations.map(({ operation, type }) => [operation, type.name.value]));
}

export const usualRoots: ReadonlyMap<OperationTypeNode, string> = new Map([
  [OperationTypeNode.QUERY, 'Query'],
  [OperationTypeNode.MUTATION, 'Mutation'],
  [OperationTypeNode.SUBSCRIPTION, 'Subscription'],
]);

export const toOperationType = (operation: OperationTypeNode, name: string): OperationTypeDefinitionNode => ({
  kind: Kind.OPERATION_TYPE_DEFINITION,
  operation,
  type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: name } },
});
