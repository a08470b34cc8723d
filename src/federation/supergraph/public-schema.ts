import type { DocumentNode, GraphQLSchema } from 'graphql';
import { buildASTSchema, isScalarType, isSpecifiedScalarType } from 'graphql';
import { transformSupergraphToPublicSchema } from '@theguild/federation-composition';

/**
 * What clients of a supergraph see: without the join machinery, without what is `@inaccessible`.
 * Custom scalars pass values through; the subgraph that owns them has checked them.
 */
export function publicSchema(supergraph: DocumentNode): GraphQLSchema {
  const schema = buildASTSchema(transformSupergraphToPublicSchema(supergraph), { assumeValidSDL: true });
  for (const type of Object.values(schema.getTypeMap())) {
    if (isScalarType(type) && !isSpecifiedScalarType(type)) type.serialize = (value) => value;
  }
  return schema;
}
