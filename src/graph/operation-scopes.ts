import type { DocumentNode, GraphQLSchema } from 'graphql';
import { TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { ScopeRequirement } from './requires-scopes';
import { requirementsOfField } from './requires-scopes';

/**
 * Collects every scope requirement of a document's fields, so that it can be refused before its variables are read
 * (D1).
 */
export function scopesOfOperation(schema: GraphQLSchema, document: DocumentNode): readonly ScopeRequirement[] {
  const found = new Map<string, ScopeRequirement>();
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field: () => {
        const field = types.getFieldDef();
        for (const requirement of field ? requirementsOfField(schema, field) : []) {
          found.set(JSON.stringify(requirement), requirement);
        }
      },
    }),
  );
  return [...found.values()];
}
