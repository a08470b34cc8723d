import type { DocumentNode, GraphQLScalarType, GraphQLSchema, NamedTypeNode } from 'graphql';
import { buildASTSchema, isScalarType, isSpecifiedScalarType, isTypeDefinitionNode, visit } from 'graphql';
import { transformSupergraphToPublicSchema } from '@theguild/federation-composition';
import { toSchemaDefinition } from '../sdl-nodes';

/** By the scalar's name. Results must be JSON again, because they are passed on. */
export type ScalarParsers = Readonly<Record<string, Pick<GraphQLScalarType, 'parseValue' | 'parseLiteral'>>>;

/**
 * The schema for clients of a supergraph: without the join definitions and `@inaccessible` elements. Custom scalars
 * pass values through, because the subgraph that owns them has checked them. For the scalars in `scalars`, the
 * validation of documents and variables already checks values that clients send.
 */
export function publicSchema(supergraph: DocumentNode, scalars: ScalarParsers = {}): GraphQLSchema {
  const document = withoutDanglingNames(withRoots(transformSupergraphToPublicSchema(supergraph), supergraph));
  const schema = buildASTSchema(document, { assumeValidSDL: true });
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isScalarType(type) || isSpecifiedScalarType(type)) continue;
    type.serialize = passThrough;
    const parsers = Object.hasOwn(scalars, type.name) ? scalars[type.name] : undefined;
    if (parsers !== undefined)
      Object.assign(type, { parseValue: parsers.parseValue, parseLiteral: parsers.parseLiteral });
  }
  return schema;
}

/** The transformation removes the schema definition, which says what the root types are. */
function withRoots(document: DocumentNode, supergraph: DocumentNode): DocumentNode {
  const definition = toSchemaDefinition(supergraph, document);
  if (definition.operationTypes.length === 0) return document;
  return { ...document, definitions: [definition, ...document.definitions] };
}

/**
 * The transformation removes inaccessible types, but not their names from the unions and implementations they are in.
 */
function withoutDanglingNames(document: DocumentNode): DocumentNode {
  const defined = new Set(document.definitions.filter(isTypeDefinitionNode).map(({ name }) => name.value));
  const known = (types: readonly NamedTypeNode[] | undefined) =>
    (types ?? []).filter(({ name }) => defined.has(name.value));
  return visit(document, {
    UnionTypeDefinition: (node) => ({ ...node, types: known(node.types) }),
    ObjectTypeDefinition: (node) => ({ ...node, interfaces: known(node.interfaces) }),
    InterfaceTypeDefinition: (node) => ({ ...node, interfaces: known(node.interfaces) }),
  });
}

const passThrough = (value: unknown): unknown => value;
