import type { SelectionSetNode, TypeDefinitionNode } from 'graphql';
import { Kind, parse } from 'graphql';
import { namedType } from '../sdl-nodes';

/**
 * Visits the fields of a field set, such as `id owner { name }`, each with the name of the type that has it.
 * @param definitions the types of the supergraph by name
 */
export function visitFieldSet(
  fieldSet: string | undefined,
  typeName: string,
  definitions: ReadonlyMap<string, TypeDefinitionNode>,
  found: (parent: string, field: string) => void,
): void {
  if (fieldSet === undefined) return;
  const walk = ({ selections }: SelectionSetNode, parent: string): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) continue;
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        walk(selection.selectionSet, selection.typeCondition?.name.value ?? parent);
        continue;
      }
      found(parent, selection.name.value);
      const type = definitions.get(parent);
      const fields = type !== undefined && 'fields' in type ? type.fields : undefined;
      const field = fields?.find(({ name }) => name.value === selection.name.value);
      if (selection.selectionSet !== undefined && field !== undefined) {
        walk(selection.selectionSet, namedType(field.type));
      }
    }
  };
  const [definition] = parse(`{${fieldSet}}`, { noLocation: true }).definitions;
  if (definition?.kind === Kind.OPERATION_DEFINITION) walk(definition.selectionSet, typeName);
}
