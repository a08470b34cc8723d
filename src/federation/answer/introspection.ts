import type {
  DocumentNode,
  ExecutionResult,
  FieldNode,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode,
} from 'graphql';
import { execute, Kind, visit } from 'graphql';
import { fragmentsByName } from '../../graph/typed-fields';

const isIntrospection = (name: string): boolean => name === '__schema' || name === '__type';

/** The root fields that the gateway answers itself, from the schema for clients. */
export const introspectionFields = (rootFields: readonly FieldNode[]): readonly FieldNode[] =>
  rootFields.filter((field) => isIntrospection(field.name.value));

/** Whether any of the root fields needs a subgraph. */
export const needsPlan = (rootFields: readonly FieldNode[]): boolean =>
  rootFields.some((field) => !field.name.value.startsWith('__'));

/**
 * The document without `__schema` and `__type`, which the query planner rejects. They are legal only on the query root.
 */
export const withoutIntrospection = (document: DocumentNode): DocumentNode =>
  visit(document, {
    Field: (node) => (isIntrospection(node.name.value) ? null : undefined),
    SelectionSet: { leave: notEmpty },
  });

export const typeNameField: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };

/** Selection sets must not be empty: one that has lost all its fields selects `__typename`, which costs nothing. */
export function notEmpty(node: SelectionSetNode): SelectionSetNode | undefined {
  if (node.selections.length > 0) return undefined;
  return { ...node, selections: [typeNameField] };
}

/** Answers the introspection fields of an operation. */
export function introspect(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  fields: readonly FieldNode[],
  variableValues: Readonly<Record<string, unknown>>,
): ExecutionResult {
  const only = { ...operation, selectionSet: { ...operation.selectionSet, selections: fields } };
  const result = execute({
    schema,
    document: { kind: Kind.DOCUMENT, definitions: [only, ...fragmentsByName(document).values()] },
    variableValues,
  });
  // The schema has no resolvers, so nothing in it is asynchronous.
  return result as ExecutionResult;
}
