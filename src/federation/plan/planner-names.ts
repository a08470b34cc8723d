import type { ConstDirectiveNode, DocumentNode } from 'graphql';
import { Kind, visit } from 'graphql';
import { joinFlag, joinText, supergraphGraphs } from '../supergraph/supergraph-graphs';

export interface PlannerNames {
  /** The supergraph with the names that the planner is given. */
  readonly document: DocumentNode;
  /** The name of a subgraph by the one that the planner knows. */
  readonly nameOf: ReadonlyMap<string, string>;
}

/**
 * Gives subgraphs other names for the planner. It tries them in the order of their names, and finds no plan when one
 * that knows an interface as an object comes before those that know its types: here these come first.
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
    EnumTypeDefinition(node) {
      if (node.name.value !== 'join__Graph') return undefined;
      const values = node.values?.map((value) => ({
        ...value,
        name: { ...value.name, value: keys.get(value.name.value) ?? value.name.value },
        directives: value.directives?.map((directive) => withName(directive, names)) ?? [],
      }));
      return { ...node, ...(values !== undefined && { values }) };
    },
    Argument(node) {
      // Enum values are unique to the enum of graphs where a join directive has one.
      if (node.name.value === 'graph' && node.value.kind === Kind.ENUM) {
        return { ...node, value: { ...node.value, value: keys.get(node.value.value) ?? node.value.value } };
      }
      if (node.name.value === 'override' && node.value.kind === Kind.STRING) {
        return { ...node, value: { ...node.value, value: names.get(node.value.value) ?? node.value.value } };
      }
      return undefined;
    },
  });
  const byKey = new Map(graphs.map(({ key, name }) => [key, name]));
  const nameOf = new Map(
    graphs.map(({ key, name }) => [names.get(name) ?? name, byKey.get(originalOf.get(key) ?? key) ?? name]),
  );
  return { document, nameOf };
}

const withName = (directive: ConstDirectiveNode, names: ReadonlyMap<string, string>): ConstDirectiveNode => ({
  ...directive,
  arguments:
    directive.arguments?.map((argument) =>
      argument.name.value === 'name' && argument.value.kind === Kind.STRING
        ? { ...argument, value: { ...argument.value, value: names.get(argument.value.value) ?? argument.value.value } }
        : argument,
    ) ?? [],
});

/** How many interfaces each subgraph knows as objects, by its key. */
function findOutside(supergraph: DocumentNode): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const definition of supergraph.definitions) {
    if (definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    for (const join of definition.directives ?? []) {
      const key = joinText(join, 'graph');
      if (key !== undefined && joinFlag(join, 'isInterfaceObject')) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}
