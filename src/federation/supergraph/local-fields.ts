import type { ConstDirectiveNode, DocumentNode, GraphQLSchema } from 'graphql';
import {
  BREAK,
  getNamedType,
  isTypeDefinitionNode,
  Kind,
  specifiedScalarTypes,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Annotated } from '../sdl-nodes';
import { directivesOf, flagOf, hasFields, textOf } from '../sdl-nodes';

/** Fields that one subgraph of a supergraph can resolve alone. */
export interface LocalFields {
  /** Types that it defines, and the built-in scalars. */
  readonly types: ReadonlySet<string>;
  /** `Type.field` that it resolves without other subgraphs. */
  readonly fields: ReadonlySet<string>;
  /** Types of which clients may see less than the subgraph returns: its answers must not be passed on unchecked. */
  readonly narrowed: ReadonlySet<string>;
}

/** Determines from a supergraph's join directives what the subgraph `graph` (a value of join__Graph) resolves alone. */
export function readLocalFields(supergraph: DocumentNode, graph: string): LocalFields {
  const types = new Set(specifiedScalarTypes.map(({ name }) => name));
  const fields = new Set<string>();
  for (const definition of supergraph.definitions) {
    if (!isTypeDefinitionNode(definition)) continue;
    const membership = directivesOf(definition, 'join__type').find((type) => textOf(type, 'graph') === graph);
    if (membership === undefined || flagOf(membership, 'isInterfaceObject')) continue;
    types.add(definition.name.value);
    if (!hasFields(definition)) continue;
    for (const field of definition.fields ?? []) {
      if (isResolvedBy(graph, directivesOf(field, 'join__field'))) {
        fields.add(`${definition.name.value}.${field.name.value}`);
      }
    }
  }
  return { types, fields, narrowed: narrowedTypes(supergraph) };
}

/** Whether a valid operation selects only what the subgraph answers alone. */
export function isLocalDocument(schema: GraphQLSchema, document: DocumentNode, local: LocalFields): boolean {
  let isLocal = true;
  const types = new TypeInfo(schema);
  const refuse = () => {
    isLocal = false;
    return BREAK;
  };
  visit(
    document,
    visitWithTypeInfo(types, {
      Field(node) {
        const name = node.name.value;
        if (name === '__typename') return undefined;
        const output = types.getType();
        const isNarrowed = output != null && local.narrowed.has(getNamedType(output).name);
        return isNarrowed || !local.fields.has(`${types.getParentType()?.name}.${name}`) ? refuse() : undefined;
      },
      NamedType: (node) => (local.types.has(node.name.value) ? undefined : refuse()),
    }),
  );
  return isLocal;
}

/**
 * Without `@join__field` a field is resolved by every subgraph of its type. One without a graph comes from an
 * `@interfaceObject` elsewhere.
 */
function isResolvedBy(graph: string, joins: readonly ConstDirectiveNode[]): boolean {
  if (joins.length === 0) return true;
  return joins.some(
    (join) =>
      textOf(join, 'graph') === graph &&
      !flagOf(join, 'external') &&
      !flagOf(join, 'usedOverridden') &&
      textOf(join, 'overrideLabel') === undefined &&
      textOf(join, 'requires') === undefined,
  );
}

/** Enums with inaccessible values, unions and interfaces with inaccessible members. */
function narrowedTypes(supergraph: DocumentNode): ReadonlySet<string> {
  const isInaccessible = (node: Annotated) => directivesOf(node, 'inaccessible').length > 0;
  const narrowed = new Set<string>();
  const hidden = new Set<string>();
  for (const definition of supergraph.definitions) {
    if (definition.kind === Kind.ENUM_TYPE_DEFINITION && definition.values?.some(isInaccessible)) {
      narrowed.add(definition.name.value);
    }
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION || !isInaccessible(definition)) continue;
    hidden.add(definition.name.value);
    for (const { name } of definition.interfaces ?? []) narrowed.add(name.value);
  }
  for (const definition of supergraph.definitions) {
    if (definition.kind !== Kind.UNION_TYPE_DEFINITION) continue;
    if (definition.types?.some(({ name }) => hidden.has(name.value))) narrowed.add(definition.name.value);
  }
  return narrowed;
}
