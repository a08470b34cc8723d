import type { DocumentNode, SelectionNode, SelectionSetNode } from 'graphql';
import { Kind, print, stripIgnoredCharacters } from 'graphql';
import { mapFields, namedType, parseFieldSet, textOf, toText, withArguments } from '../sdl-nodes';
import type { SubgraphTypes } from './subgraph-types';

/**
 * Replaces fragments of `@requires` on an interface or a union by one fragment for each possible object type: the
 * composer only considers object types, and calls everything else unsatisfiable.
 */
export function expandRequired(document: DocumentNode, subgraph: SubgraphTypes): DocumentNode {
  return mapFields(document, (field, parent) => ({
    ...field,
    directives: (field.directives ?? []).map((directive) => {
      const fields = textOf(directive, 'fields');
      return fields === undefined || !subgraph.has([directive], '@requires')
        ? directive
        : withArguments(directive, { fields: toText(expandFieldSet(fields, parent, subgraph)) });
    }),
  }));
}

function expandFieldSet(text: string, typeName: string, { types, membersOf }: SubgraphTypes): string {
  let isChanged = false;
  const objectsOf = (name: string): ReadonlySet<string> => membersOf.get(name) ?? new Set([name]);

  /** @param isNarrowed whether the parent is an object type that was added here, so that fragments may never apply */
  const expand = (
    selections: readonly SelectionNode[],
    parent: string,
    isNarrowed: boolean,
  ): readonly SelectionNode[] =>
    selections.flatMap((selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD || selection.selectionSet === undefined) return [selection];
      const inner = selection.selectionSet.selections;
      if (selection.kind === Kind.FIELD) {
        const type = types.get(parent)?.fields.get(selection.name.value)?.type;
        return type === undefined ? [selection] : withSelections(selection, expand(inner, namedType(type), false));
      }
      const condition = selection.typeCondition?.name.value ?? parent;
      if (condition === parent) return expand(inner, parent, isNarrowed);
      const objects = [...objectsOf(parent)].filter((name) => objectsOf(condition).has(name));
      if (isNarrowed) return objects.length === 0 ? [] : expand(inner, parent, true);
      // Never applies, or has an unknown type: the composer reports that.
      if (objects.length === 0) return [selection];
      if (!membersOf.has(condition)) return withSelections(selection, expand(inner, condition, false));
      isChanged = true;
      return objects.flatMap((name) => withSelections(onType(name), expand(inner, name, true)));
    });

  const fields = readFieldSet(text);
  if (fields === undefined) return text;
  const selections = expand(fields.selections, typeName, false);
  if (!isChanged) return text;
  return stripIgnoredCharacters(print({ ...fields, selections })).slice(1, -1);
}

const withSelections = <Node extends SelectionNode>(node: Node, selections: readonly SelectionNode[]): Node[] =>
  selections.length === 0 ? [] : [{ ...node, selectionSet: { kind: Kind.SELECTION_SET, selections } }];

/** undefined for what is not a field set, which the composer refuses. */
function readFieldSet(text: string): SelectionSetNode | undefined {
  try {
    return parseFieldSet(text);
  } catch {
    return undefined;
  }
}

const onType = (name: string): SelectionNode => ({
  kind: Kind.INLINE_FRAGMENT,
  typeCondition: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: name } },
  selectionSet: { kind: Kind.SELECTION_SET, selections: [] },
});
