import type { DocumentNode, GraphQLScalarType, GraphQLSchema, NamedTypeNode } from 'graphql';
import { buildASTSchema, isScalarType, isSpecifiedScalarType, isTypeDefinitionNode, visit } from 'graphql';
import { transformSupergraphToPublicSchema } from '@theguild/federation-composition';

/** By the scalar's name. What they make of a value must be JSON again: it is sent on. */
export type ScalarParsers = Readonly<Record<string, Pick<GraphQLScalarType, 'parseValue' | 'parseLiteral'>>>;

/**
 * What clients of a supergraph see: without the join machinery, without what is `@inaccessible`.
 * Custom scalars pass values through; the subgraph that owns them has checked them. Of those in `scalars` the values that
 * clients send are checked here already, by the validation of documents and variables.
 */
export function publicSchema(supergraph: DocumentNode, scalars: ScalarParsers = {}): GraphQLSchema {
  const document = withoutDanglingNames(transformSupergraphToPublicSchema(supergraph));
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

/** The transformation takes inaccessible types away, but not their names out of the unions and implementations they are in. */
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
