import type {
  ConstDirectiveNode,
  ConstValueNode,
  DefinitionNode,
  DocumentNode,
  FieldDefinitionNode,
  InterfaceTypeDefinitionNode,
  NameNode,
  ObjectTypeDefinitionNode,
  SchemaDefinitionNode,
  SelectionSetNode,
  TypeDefinitionNode,
  TypeNode,
} from 'graphql';
import { isTypeDefinitionNode, Kind, OperationTypeNode, parse, visit } from 'graphql';

/** A node of SDL that may have directives. */
export interface Annotated {
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}

/** The name of a type without its lists and its non-nulls. */
export const namedType = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);

/** The directives of a node with a certain name. */
export const directivesOf = ({ directives = [] }: Annotated, name: string): readonly ConstDirectiveNode[] =>
  directives.filter((directive) => directive.name.value === name);

/** The value of a directive's argument. */
export const argumentOf = (directive: ConstDirectiveNode | undefined, name: string): ConstValueNode | undefined =>
  directive?.arguments?.find((argument) => argument.name.value === name)?.value;

/** A string or an enum value. */
export function textOf(directive: ConstDirectiveNode | undefined, name: string): string | undefined {
  const value = argumentOf(directive, name);
  return value?.kind === Kind.STRING || value?.kind === Kind.ENUM ? value.value : undefined;
}

export function flagOf(directive: ConstDirectiveNode, name: string, otherwise = false): boolean {
  const value = argumentOf(directive, name);
  return value?.kind === Kind.BOOLEAN ? value.value : otherwise;
}

export const toText = (value: string): ConstValueNode => ({ kind: Kind.STRING, value });
export const toEnum = (value: string): ConstValueNode => ({ kind: Kind.ENUM, value });

/**
 * The directive with other values.
 * @param values by argument; undefined removes one
 */
export const withArguments = (
  directive: ConstDirectiveNode,
  values: Readonly<Record<string, ConstValueNode | undefined>>,
): ConstDirectiveNode => ({
  ...directive,
  arguments: [
    ...(directive.arguments ?? []).filter(({ name }) => !(name.value in values)),
    ...Object.entries(values).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [{ kind: Kind.ARGUMENT as const, name: { kind: Kind.NAME as const, value: name }, value }],
    ),
  ],
});

/** `@join__field(graph: A)` */
export const toJoinField = (graph: string): ConstDirectiveNode =>
  withArguments({ kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'join__field' } }, { graph: toEnum(graph) });

/**
 * The root types of a document by operation: those of its schema definition, or by default those with the usual names.
 */
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

/** A schema definition with those root types of `from` that `document` defines. */
export function toSchemaDefinition(from: DocumentNode, document: DocumentNode): SchemaDefinitionNode {
  const defined = new Set(document.definitions.filter(isTypeDefinitionNode).map(({ name }) => name.value));
  const roots = [...rootTypes(from)].filter(([, name]) => defined.has(name));
  return {
    kind: Kind.SCHEMA_DEFINITION,
    operationTypes: roots.map(([operation, name]) => ({
      kind: Kind.OPERATION_TYPE_DEFINITION,
      operation,
      type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: name } },
    })),
  };
}

export type FieldsOwner = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode;

export const hasFields = (type: DefinitionNode): type is FieldsOwner =>
  type.kind === Kind.OBJECT_TYPE_DEFINITION || type.kind === Kind.INTERFACE_TYPE_DEFINITION;

type WithFields = { readonly name: NameNode; readonly fields?: readonly FieldDefinitionNode[] | undefined };

/** Maps the fields of the document's objects and interfaces. */
export function mapFields(
  document: DocumentNode,
  change: (field: FieldDefinitionNode, typeName: string) => FieldDefinitionNode,
): DocumentNode {
  const enter = <Node extends WithFields>(node: Node): Node => ({
    ...node,
    fields: node.fields?.map((field) => change(field, node.name.value)),
  });
  return visit(document, {
    ObjectTypeDefinition: enter,
    ObjectTypeExtension: enter,
    InterfaceTypeDefinition: enter,
    InterfaceTypeExtension: enter,
  });
}

/** @throws GraphQLError for what is not a field set */
export function parseFieldSet(text: string): SelectionSetNode | undefined {
  const [definition] = parse(`{${text}}`, { noLocation: true }).definitions;
  return definition?.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet : undefined;
}

/**
 * Visits the fields of a field set, such as `id owner { name }`, each with the name of the type that has it.
 * @param definitions the types of the supergraph by name
 */
export function visitFieldSet(
  fieldSet: string | undefined,
  typeName: string,
  definitions: ReadonlyMap<string, TypeDefinitionNode>,
  found: (parent: string, field: string) => void,
): void {
  if (fieldSet === undefined) return;
  const walk = ({ selections }: SelectionSetNode, parent: string): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) continue;
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        walk(selection.selectionSet, selection.typeCondition?.name.value ?? parent);
        continue;
      }
      found(parent, selection.name.value);
      const type = definitions.get(parent);
      const fields = type !== undefined && 'fields' in type ? type.fields : undefined;
      const field = fields?.find(({ name }) => name.value === selection.name.value);
      if (selection.selectionSet !== undefined && field !== undefined) {
        walk(selection.selectionSet, namedType(field.type));
      }
    }
  };
  const selectionSet = parseFieldSet(fieldSet);
  if (selectionSet !== undefined) walk(selectionSet, typeName);
}
