import type { DefinitionNode, DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { getNamedType, isCompositeType, Kind, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { ScopeRequirement } from './requires-scopes';
import { requirementsOfField } from './requires-scopes';

/** What is known of an operation before it runs. */
export interface OperationFacts {
  /**
   * Every scope requirement of the document's fields, so that it can be refused before its variables are read (D1). Not
   * of those behind an interface, in a fragment on one of its types: which types there are is known only then.
   */
  readonly requiredScopes: readonly ScopeRequirement[];
  /** The fields of the operation that read rows, each as often as it is selected. A list counts once. */
  readonly reads: number;
}

/** The objects whose fields may read further rows. */
const readingTypes: ReadonlySet<string | undefined> = new Set(['Query', 'Shop', 'Product', 'Variant']);
/** What these fields have already. */
const typesInMemory: ReadonlySet<string> = new Set(['Shop', 'VariantOption']);

interface Counted {
  reads: number;
  readonly spreads: string[];
}

/** @param operation The one of the document that runs. */
export function factsOfOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode | undefined,
): OperationFacts {
  const requirements = new Map<string, ScopeRequirement>();
  const fragments = new Map<string, Counted>();
  let counted: Counted = { reads: 0, spreads: [] };
  let ofOperation = counted;
  const begin = (definition: DefinitionNode): void => {
    counted = { reads: 0, spreads: [] };
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, counted);
    if (definition === operation) ofOperation = counted;
  };
  const types = new TypeInfo(schema);
  let typeConditions = 0;
  visit(
    document,
    visitWithTypeInfo(types, {
      OperationDefinition: begin,
      FragmentDefinition: begin,
      FragmentSpread: ({ name }) => void counted.spreads.push(name.value),
      InlineFragment: {
        enter: ({ typeCondition }) => void (typeConditions += typeCondition === undefined ? 0 : 1),
        leave: ({ typeCondition }) => void (typeConditions -= typeCondition === undefined ? 0 : 1),
      },
      Field: () => {
        const field = types.getFieldDef();
        for (const requirement of field && typeConditions === 0 ? requirementsOfField(schema, field) : []) {
          requirements.set(JSON.stringify(requirement), requirement);
        }
        const type = field && getNamedType(field.type);
        const isRead =
          isCompositeType(type) && !typesInMemory.has(type.name) && readingTypes.has(types.getParentType()?.name);
        if (isRead) counted.reads += 1;
      },
    }),
  );
  // A valid document has no cycles of fragments.
  const sums = new Map<Counted, number>();
  const sumUp = (part: Counted): number => {
    const sum =
      sums.get(part) ??
      part.spreads.reduce((total, name) => total + sumUp(fragments.get(name) ?? { reads: 0, spreads: [] }), part.reads);
    sums.set(part, sum);
    return sum;
  };
  return { requiredScopes: [...requirements.values()], reads: sumUp(ofOperation) };
}
