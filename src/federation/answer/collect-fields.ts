import type { DirectiveNode, FieldNode, FragmentDefinitionNode, SelectionSetNode } from 'graphql';
import { Kind } from 'graphql';
import { getOrMake } from '../../common/once';
import { clientKey } from './plan-keys';

/** Properties of an operation that affect its selections. */
interface SelectionContext {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A field node, and what is known of an object that has it. */
interface Occurrence<Scope> {
  readonly node: FieldNode;
  readonly scope: Scope;
}

/** Response keys in the order of the answer, each with everything that selects it. */
export type CollectedFields<Scope> = ReadonlyMap<string, readonly Occurrence<Scope>[]>;

/**
 * CollectFields() of the GraphQL specification (6.3.2).
 * @param scope What is known of the object.
 * @param narrow The same within a fragment on a type; undefined when that does not apply.
 */
export function collectFields<Scope>(
  selectionSets: readonly SelectionSetNode[],
  scope: Scope,
  { fragments, variables }: SelectionContext,
  narrow: (scope: Scope, condition: string) => Scope | undefined,
): CollectedFields<Scope> {
  const collected = new Map<string, Occurrence<Scope>[]>();
  const visited = new Set<string>();
  const collect = (selectionSet: SelectionSetNode, within: Scope): void => {
    for (const selection of selectionSet.selections) {
      if (!isIncluded(selection.directives, variables)) continue;
      if (selection.kind === Kind.FIELD) {
        getOrMake(collected, clientKey(selection), () => []).push({ node: selection, scope: within });
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (visited.has(selection.name.value)) continue;
        visited.add(selection.name.value);
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      if (fragment === undefined) continue;
      const condition = fragment.typeCondition?.name.value;
      const inner = condition === undefined ? within : narrow(within, condition);
      if (inner !== undefined) collect(fragment.selectionSet, inner);
    }
  };
  for (const selectionSet of selectionSets) collect(selectionSet, scope);
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
