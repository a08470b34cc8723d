import type { DocumentNode } from 'graphql';
import { flagOf, textOf } from '../sdl-nodes';
import type { SubgraphDefinition } from '../supergraph/compose-subgraphs';
import { readSubgraphTypes } from '../supergraph/subgraph-types';
import { catalogName, nodesName } from './check-catalog-part';

/**
 * The subgraph that resolves `node(id)` and `nodes(ids)` for the types of all subgraphs, for composition with them.
 * Without it, these fields find only types of the catalog. Undefined when no other subgraph has nodes: `node` then
 * stays the catalog's own and on the fast path.
 */
export function composedNodes(
  subgraphs: readonly { readonly name: string; readonly nodeTypes: readonly string[] }[],
): readonly SubgraphDefinition[] {
  if (subgraphs.every(({ name, nodeTypes }) => name === catalogName || nodeTypes.length === 0)) return [];
  const types = new Set(subgraphs.flatMap(({ nodeTypes }) => nodeTypes));
  return [{ name: nodesName, url: `local://${nodesName}`, sdl: nodesSdl([...types]) }];
}

/** The types of a subgraph that implement Node and have the key `id`. */
export function nodeTypesOf(document: DocumentNode): readonly string[] {
  const { types, membersOf, has } = readSubgraphTypes(document);
  return [...(membersOf.get('Node') ?? [])].filter((name) =>
    types
      .get(name)
      ?.directives.some(
        (each) => has([each], '@key') && textOf(each, 'fields')?.trim() === 'id' && flagOf(each, 'resolvable', true),
      ),
  );
}

export const nodesSdl = (types: readonly string[]): string => `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@override"])
  interface Node { id: ID! }
  ${types.map((type) => `type ${type} implements Node @key(fields: "id", resolvable: false) { id: ID! }`).join('\n  ')}
  type Query {
    node(id: ID!): Node @override(from: "${catalogName}")
    nodes(ids: [ID!]!): [Node]! @override(from: "${catalogName}")
  }`;
