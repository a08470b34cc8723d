import type { DocumentNode, GraphQLSchema, NamedTypeNode } from 'graphql';
import { buildASTSchema, isScalarType, isSpecifiedScalarType, isTypeDefinitionNode, visit } from 'graphql';
import { transformSupergraphToPublicSchema } from '@theguild/federation-composition';

/**
 * What clients of a supergraph see: without the join machinery, without what is `@inaccessible`.
 * Custom scalars pass values through; the subgraph that owns them has checked them.
 */
export function publicSchema(supergraph: DocumentNode): GraphQLSchema {
  const document = withoutDanglingNames(transformSupergraphToPublicSchema(supergraph));
  const schema = buildASTSchema(document, { assumeValidSDL: true });
  for (const type of Object.values(schema.getTypeMap())) {
    if (isScalarType(type) && !isSpecifiedScalarType(type)) type.serialize = (value) => value;
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
