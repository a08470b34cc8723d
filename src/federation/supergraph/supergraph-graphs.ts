import type { ConstDirectiveNode, ConstValueNode, DocumentNode } from 'graphql';
import { Kind } from 'graphql';

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
      const graph = value.directives?.find((directive) => directive.name.value === 'join__graph');
      const key = value.name.value;
      return { key, name: joinText(graph, 'name') ?? key, url: joinText(graph, 'url') ?? '' };
    });
  }
  throw new Error('Expected a supergraph: it has no enum join__Graph.');
}

/** The value of a join directive's argument. */
export const joinArgument = (directive: ConstDirectiveNode | undefined, name: string): ConstValueNode | undefined =>
  directive?.arguments?.find((argument) => argument.name.value === name)?.value;

/** A string or an enum value. */
export function joinText(directive: ConstDirectiveNode | undefined, name: string): string | undefined {
  const value = joinArgument(directive, name);
  return value?.kind === Kind.STRING || value?.kind === Kind.ENUM ? value.value : undefined;
}

export function joinFlag(directive: ConstDirectiveNode, name: string): boolean {
  const value = joinArgument(directive, name);
  return value?.kind === Kind.BOOLEAN && value.value;
}
