import type { DirectiveNode, FieldNode, FragmentDefinitionNode, GraphQLNamedType, SelectionSetNode } from 'graphql';
import { Kind } from 'graphql';
import type { TypeCondition } from '../supergraph/type-conditions';

/** What a client's operation determines about its selections. */
export interface SelectionContext {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly isOfType: TypeCondition;
}

/** Response keys in the order of the answer, each with all the field nodes that select it. */
export type CollectedFields = ReadonlyMap<string, readonly FieldNode[]>;

/**
 * CollectFields() of the GraphQL specification (6.3.2).
 * @param runtimeType the object's type; for an object of unknown type the declared one, and then only fragments on
 *   exactly that type apply.
 */
export function collectFields(
  type: GraphQLNamedType,
  runtimeType: string | undefined,
  selectionSets: readonly SelectionSetNode[],
  context: SelectionContext,
): CollectedFields {
  const collected = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  const collect = (selectionSet: SelectionSetNode): void => {
    for (const selection of selectionSet.selections) {
      if (!isIncluded(selection.directives, context.variables)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const fields = collected.get(key);
        if (fields === undefined) collected.set(key, [selection]);
        else fields.push(selection);
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (visited.has(selection.name.value)) continue;
        visited.add(selection.name.value);
      }
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : context.fragments.get(selection.name.value);
      if (fragment === undefined) continue;
      const condition = fragment.typeCondition?.name.value;
      const applies = condition === undefined || condition === type.name || context.isOfType(runtimeType, condition);
      if (applies) collect(fragment.selectionSet);
    }
  };
  selectionSets.forEach(collect);
  return collected;
}

/** `@skip` and `@include` (3.13.1, 3.13.2) */
export function isIncluded(
  directives: readonly DirectiveNode[] | undefined,
  variables: Readonly<Record<string, unknown>>,
): boolean {
  for (const { name, arguments: args } of directives ?? []) {
    if (name.value !== 'skip' && name.value !== 'include') continue;
    const value = args?.find((argument) => argument.name.value === 'if')?.value;
    const condition =
      value?.kind === Kind.VARIABLE
        ? variables[value.name.value] === true
        : value?.kind === Kind.BOOLEAN && value.value;
    if (condition === (name.value === 'skip')) return false;
  }
  return true;
}
