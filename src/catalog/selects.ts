import type { FragmentDefinitionNode, GraphQLResolveInfo, SelectionNode } from 'graphql';
import { Kind } from 'graphql';

/**
 * Whether a field of this name is selected at any depth below the field that is resolved, even under a condition that
 * does not hold.
 */
export function selects({ fieldNodes, fragments }: GraphQLResolveInfo, name: string): boolean {
  const seen = new Set<FragmentDefinitionNode>();
  const isIn = (selections: readonly SelectionNode[] = []): boolean =>
    selections.some((selection) => {
      if (selection.kind === Kind.FIELD)
        return selection.name.value === name || isIn(selection.selectionSet?.selections);
      if (selection.kind === Kind.INLINE_FRAGMENT) return isIn(selection.selectionSet.selections);
      const fragment = fragments[selection.name.value];
      if (fragment === undefined || seen.has(fragment)) return false;
      seen.add(fragment);
      return isIn(fragment.selectionSet.selections);
    });
  return fieldNodes.some(({ selectionSet }) => isIn(selectionSet?.selections));
}
