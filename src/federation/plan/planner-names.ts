import type { ConstDirectiveNode, DocumentNode } from 'graphql';
import { Kind, visit } from 'graphql';
import { flagOf, textOf, toEnum, toText, withArguments } from '../sdl-nodes';
import { supergraphGraphs } from '../supergraph/supergraph-graphs';

export interface PlannerNames {
  /** The supergraph with the planner's names. */
  readonly document: DocumentNode;
  /** Subgraph names by the planner's names. */
  readonly nameOf: ReadonlyMap<string, string>;
}

/**
 * Renames subgraphs for the planner, which tries them in the order of their names and finds no plan when one that has
 * an interface as an object comes before those that have its types: here these come first.
 */
export function toPlannerNames(supergraph: DocumentNode, originalOf: ReadonlyMap<string, string>): PlannerNames {
  const outside = findOutside(supergraph);
  const graphs = [...supergraphGraphs(supergraph)].sort((one, other) => countOf(one.key) - countOf(other.key));
  function countOf(key: string): number {
    return outside.get(key) ?? 0;
  }
  const digits = String(graphs.length).length;
  const keys = new Map<string, string>();
  const names = new Map<string, string>();
  for (const [index, { key, name }] of graphs.entries()) {
    const alias = `g${String(index).padStart(digits, '0')}`;
    keys.set(key, alias.toUpperCase());
    names.set(name, alias);
  }
  const document = visit(supergraph, {
    EnumTypeDefinition: (node) =>
      node.name.value === 'join__Graph'
        ? {
            ...node,
            values: (node.values ?? []).map((value) => ({
              ...value,
              name: { ...value.name, value: keys.get(value.name.value) ?? value.name.value },
            })),
          }
        : undefined,
    Directive(node) {
      const join = node as ConstDirectiveNode;
      if (!join.name.value.startsWith('join__')) return undefined;
      const key = keys.get(textOf(join, 'graph') ?? '');
      const from = names.get(textOf(join, 'override') ?? '');
      const name = join.name.value === 'join__graph' ? names.get(textOf(join, 'name') ?? '') : undefined;
      return withArguments(join, {
        ...(key !== undefined && { graph: toEnum(key) }),
        ...(from !== undefined && { override: toText(from) }),
        ...(name !== undefined && { name: toText(name) }),
      });
    },
  });
  const byKey = new Map(graphs.map(({ key, name }) => [key, name]));
  const nameOf = new Map(
    graphs.map(({ key, name }) => [names.get(name) ?? name, byKey.get(originalOf.get(key) ?? key) ?? name]),
  );
  return { document, nameOf };
}

/** The number of interfaces that each subgraph has as objects, by its key. */
function findOutside(supergraph: DocumentNode): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const definition of supergraph.definitions) {
    if (definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    for (const join of definition.directives ?? []) {
      const key = textOf(join, 'graph');
      if (key !== undefined && flagOf(join, 'isInterfaceObject')) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}
