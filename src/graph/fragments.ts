import type { DocumentNode, FragmentDefinitionNode } from 'graphql';
import { Kind } from 'graphql';

/** The fragments of a document by name; of several with the same name the last. */
export function fragmentsByName({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  return fragments;
}
