import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { ScopeRequirement } from './requires-scopes';
import { requirementsOfField } from './requires-scopes';
import type { TypedField } from './typed-fields';
import { typeFields } from './typed-fields';

/** What is known of an operation before it runs. */
export interface OperationFacts {
  /**
   * Every scope requirement of the operation's fields, so that it can be refused before its variables are read (D1).
   * Not of those behind an interface, in a fragment on one of its types: which types there are is known only then.
   */
  readonly requiredScopes: readonly ScopeRequirement[];
  /** The fields of the operation that read rows, each as often as it is selected. A list counts once. */
  readonly reads: number;
}

/** The objects whose fields may read further rows. */
const readingTypes: ReadonlySet<string> = new Set(['Query', 'Shop', 'Product', 'Variant']);
/** What these fields have already. */
const typesInMemory: ReadonlySet<string> = new Set(['Shop', 'VariantOption']);

/** @param operation The one of the document that runs. */
export function factsOfOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): OperationFacts {
  const requirements = new Map<string, ScopeRequirement>();
  let reads = 0;
  const add = ({ definition, parentType, compositeType, isNarrowed, below }: TypedField): void => {
    for (const requirement of isNarrowed ? [] : requirementsOfField(schema, definition))
      requirements.set(JSON.stringify(requirement), requirement);
    if (compositeType && !typesInMemory.has(compositeType.name) && readingTypes.has(parentType.name)) reads += 1;
    below.forEach(add);
  };
  typeFields(schema, document, operation).forEach(add);
  return { requiredScopes: [...requirements.values()], reads };
}
