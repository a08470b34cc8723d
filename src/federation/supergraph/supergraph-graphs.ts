import type { DocumentNode } from 'graphql';
import { Kind } from 'graphql';
import { textOf, directivesOf } from '../sdl-nodes';

/** A subgraph as it is declared in a supergraph. */
export interface SupergraphGraph {
  /** Its value of `enum join__Graph`, such as MY_REVIEWS. */
  readonly key: string;
  /** The name it was composed under, such as my-reviews. */
  readonly name: string;
  readonly url: string;
}

/**
 * Reads the subgraphs from a supergraph's `enum join__Graph`.
 * @throws Error when the document is not a supergraph.
 */
export function supergraphGraphs(supergraph: DocumentNode): readonly SupergraphGraph[] {
  for (const definition of supergraph.definitions) {
    if (definition.kind !== Kind.ENUM_TYPE_DEFINITION || definition.name.value !== 'join__Graph') continue;
    return (definition.values ?? []).map((value) => {
      const graph = directivesOf(value, 'join__graph')[0];
      const key = value.name.value;
      return { key, name: textOf(graph, 'name') ?? key, url: textOf(graph, 'url') ?? '' };
    });
  }
  throw new Error('not a supergraph: the document has no enum join__Graph');
}
