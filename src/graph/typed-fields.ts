import type {
  DocumentNode,
  FragmentDefinitionNode,
  FieldNode,
  GraphQLField,
  GraphQLNamedType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionNode,
} from 'graphql';
import {
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

/** The fragments of a document by name; the last one if several have the same name. */
export function fragmentsByName({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  return fragments;
}

/** A field of an operation, with every fragment written out where it is used. */
export interface TypedField {
  readonly node: FieldNode;
  readonly parentType: GraphQLNamedType;
  readonly definition: GraphQLField<unknown, unknown>;
  /** The field's type without its lists and non-nulls, if it has fields itself. */
  readonly compositeType: GraphQLNamedType | undefined;
  /** Within a fragment on another type than that of the field above. */
  readonly isNarrowed: boolean;
  readonly below: readonly TypedField[];
}

/** @param document Valid, and within the limits of documents: fragments that use each other twice double. */
export function typeFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operation, selectionSet }: OperationDefinitionNode,
): readonly TypedField[] {
  const fragments = fragmentsByName(document);
  const typeAll = (
    selections: readonly SelectionNode[] = [],
    type: GraphQLNamedType | undefined,
    isNarrowed = false,
  ): readonly TypedField[] =>
    selections.flatMap((selection) => {
      if (selection.kind !== Kind.FIELD) {
        const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        const within = fragment?.typeCondition ? schema.getType(fragment.typeCondition.name.value) : type;
        return typeAll(fragment?.selectionSet.selections, within, isNarrowed || within !== type);
      }
      if (type === undefined) return [];
      const definition = findField(schema, type, selection.name.value);
      if (definition === undefined) return [];
      const named = getNamedType(definition.type);
      const compositeType = isCompositeType(named) ? named : undefined;
      const below = typeAll(selection.selectionSet?.selections, compositeType, isNarrowed);
      return [{ node: selection, parentType: type, definition, compositeType, isNarrowed, below }];
    });
  return typeAll(selectionSet.selections, schema.getRootType(operation) ?? undefined);
}

const metaFields = [SchemaMetaFieldDef, TypeMetaFieldDef];

function findField(
  schema: GraphQLSchema,
  type: GraphQLNamedType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  const found = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
  return found ?? (type === schema.getQueryType() ? metaFields.find((field) => field.name === name) : undefined);
}
