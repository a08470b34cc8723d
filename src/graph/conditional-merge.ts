import type { DirectiveNode, DocumentNode, FragmentDefinitionNode, SelectionSetNode } from 'graphql';
import { Kind } from 'graphql';
import { fragmentsByName } from './fragments';

/**
 * Whether a field with a selection set occurs several times in one place, at least once under `@include` or `@skip`.
 * graphql-jit merges the selections below all of them and loses the condition.
 * @param document Valid; fragments are written out as often as they are used.
 */
export function mergesConditionally(document: DocumentNode): boolean {
  const fragments = fragmentsByName(document);
  return document.definitions.some(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION && mergesBelow(fragments, [definition.selectionSet]),
  );
}

/** @param together Selections of one place: of fields that are merged. */
function mergesBelow(
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  together: readonly SelectionSetNode[],
): boolean {
  const mergedByName = new Map<string, { selections: SelectionSetNode[]; isConditional: boolean }>();
  const collect = ({ selections }: SelectionSetNode, isConditional: boolean): void => {
    for (const selection of selections) {
      const isUnder = isConditional || hasCondition(selection.directives);
      if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet, isUnder);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(selection.name.value);
        if (fragment !== undefined) collect(fragment.selectionSet, isUnder);
      } else if (selection.selectionSet !== undefined) {
        const name = (selection.alias ?? selection.name).value;
        const merged = mergedByName.get(name) ?? { selections: [], isConditional: false };
        merged.selections.push(selection.selectionSet);
        merged.isConditional ||= isUnder;
        mergedByName.set(name, merged);
      }
    }
  };
  for (const each of together) collect(each, false);
  return [...mergedByName.values()].some(
    ({ selections, isConditional }) => (isConditional && selections.length > 1) || mergesBelow(fragments, selections),
  );
}

const hasCondition = (directives: readonly DirectiveNode[] | undefined): boolean =>
  directives?.some(({ name: { value } }) => value === 'include' || value === 'skip') ?? false;
