import type { DocumentNode } from 'graphql';
import { isTypeDefinitionNode } from 'graphql';
import type { SubgraphDefinition } from '../supergraph/compose-subgraphs';
import type { NodeSubgraphOptions } from './node-subgraph';
import { buildNodeSubgraph, nodeTypesOf } from './node-subgraph';
import type { Subgraph } from './build-subgraph';
import { joinText, supergraphGraphs } from '../supergraph/supergraph-graphs';
import { catalogName, nodesName } from './names';

/**
 * The subgraph that finds nodes across others, for composition with them. Undefined when no other subgraph has nodes:
 * `node` then stays the catalog's own and on the fast path.
 */
export function composedNodes(
  subgraphs: readonly { readonly name: string; readonly document: DocumentNode }[],
  name = nodesName,
): readonly SubgraphDefinition[] {
  const others = subgraphs.filter((subgraph) => subgraph.name !== catalogName);
  if (others.every(({ document }) => nodeTypesOf(document).length === 0)) return [];
  const types = new Set(subgraphs.flatMap(({ document }) => nodeTypesOf(document)));
  const { sdl } = buildNodeSubgraph({ types, overrides: catalogName, typesOf: () => [] });
  return [{ name, url: `local://${name}`, sdl }];
}

/** The same subgraph for execution, derived from a supergraph that includes it. */
export function runnableNodes(supergraph: DocumentNode, typesOf: NodeSubgraphOptions['typesOf']): Subgraph | undefined {
  const key = supergraphGraphs(supergraph).find(({ name }) => name === nodesName)?.key;
  if (key === undefined) return undefined;
  const types = supergraph.definitions.filter(isTypeDefinitionNode).flatMap(({ name, directives }) => {
    const isNode = directives?.some(
      (directive) =>
        directive.name.value === 'join__type' &&
        joinText(directive, 'graph') === key &&
        joinText(directive, 'key') === 'id',
    );
    return isNode ? [name.value] : [];
  });
  return buildNodeSubgraph({ types: new Set(types), overrides: catalogName, typesOf });
}
