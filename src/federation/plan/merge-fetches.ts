import type {
  FetchNode,
  FlattenNode,
  InlineFragmentRequiresNode,
  PlanNode,
  RequiresSelection,
} from '@graphql-hive/router-query-planner' with { 'resolution-mode': 'import' };
import type { FieldNode, OperationDefinitionNode, SelectionNode } from 'graphql';
import { Kind, parse, print, stripIgnoredCharacters } from 'graphql';
import { clientKey } from '../answer/plan-keys';

/** A request for the entities at one path. */
interface EntityFetch extends FlattenNode {
  readonly node: FetchNode;
}

/**
 * Merges two concurrent requests to one subgraph for the same entities if one sends everything that the other sends: to
 * the planner, a subgraph and its copy (required-keys.ts) are two subgraphs.
 */
export function mergeFetches(node: PlanNode): PlanNode {
  switch (node.kind) {
    case 'Sequence':
      return { ...node, nodes: node.nodes.map(mergeFetches) };
    case 'Parallel':
      return { ...node, nodes: node.nodes.map(mergeFetches).reduce(addNode, []) };
    default:
      return node;
  }
}

function addNode(nodes: PlanNode[], added: PlanNode): PlanNode[] {
  if (!isEntityFetch(added)) return [...nodes, added];
  for (const [index, node] of nodes.entries()) {
    const merged = isEntityFetch(node) ? merge(node, added) : undefined;
    if (merged !== undefined) return nodes.with(index, merged);
  }
  return [...nodes, added];
}

const isEntityFetch = (node: PlanNode): node is EntityFetch => node.kind === 'Flatten' && node.node.kind === 'Fetch';

function merge(one: EntityFetch, other: EntityFetch): EntityFetch | undefined {
  const [a, b] = [one.node, other.node];
  const isSame =
    a.serviceName === b.serviceName &&
    isEqual(one.path, other.path) &&
    isEqual(a.inputRewrites ?? [], b.inputRewrites ?? []) &&
    a.outputRewrites === undefined &&
    b.outputRewrites === undefined;
  if (!isSame) return undefined;
  const requires = includes(a.requires, b.requires)
    ? a.requires
    : includes(b.requires, a.requires)
      ? b.requires
      : undefined;
  if (requires === undefined) return undefined;
  const operation = mergeOperations(readEntities(a.operation), readEntities(b.operation));
  if (operation === undefined) return undefined;
  const variableUsages = [...new Set([...(a.variableUsages ?? []), ...(b.variableUsages ?? [])])];
  return { ...one, node: { ...a, requires, operation, ...(variableUsages.length > 0 && { variableUsages }) } };
}

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Whether `one` requires everything that `other` requires, for each type. */
function includes(one: readonly RequiresSelection[] = [], other: readonly RequiresSelection[] = []): boolean {
  const isFragment = (selection: RequiresSelection): selection is InlineFragmentRequiresNode =>
    selection.kind === 'InlineFragment';
  if (one.length !== other.length || !one.every(isFragment) || !other.every(isFragment)) return false;
  return one.every((selection) => {
    const same = other.find(({ typeCondition }) => typeCondition === selection.typeCondition);
    if (same === undefined) return false;
    const texts = new Set(selection.selections.map((each) => JSON.stringify(each)));
    return same.selections.every((each) => texts.has(JSON.stringify(each)));
  });
}

interface EntitiesOperation {
  readonly definition: OperationDefinitionNode;
  readonly field: FieldNode;
}

function readEntities(operation: string): EntitiesOperation | undefined {
  const { definitions } = parse(operation, { noLocation: true });
  const [definition] = definitions;
  if (definitions.length !== 1 || definition?.kind !== Kind.OPERATION_DEFINITION) return undefined;
  const [field, ...others] = definition.selectionSet.selections;
  return field?.kind === Kind.FIELD && others.length === 0 ? { definition, field } : undefined;
}

function mergeOperations(one: EntitiesOperation | undefined, other: EntitiesOperation | undefined): string | undefined {
  if (one === undefined || other === undefined) return undefined;
  const selections = one.field.selectionSet?.selections ?? [];
  const added = other.field.selectionSet?.selections ?? [];
  const keys = new Set(selections.flatMap(keysOf));
  // A response key in both may mean different things.
  if (added.flatMap(keysOf).some((key) => keys.has(key))) return undefined;
  const field: FieldNode = {
    ...one.field,
    selectionSet: { kind: Kind.SELECTION_SET, selections: [...selections, ...added] },
  };
  const variables = [...(one.definition.variableDefinitions ?? [])];
  for (const variable of other.definition.variableDefinitions ?? []) {
    if (!variables.some((known) => known.variable.name.value === variable.variable.name.value))
      variables.push(variable);
  }
  return stripIgnoredCharacters(
    print({
      ...one.definition,
      variableDefinitions: variables,
      selectionSet: { kind: Kind.SELECTION_SET, selections: [field] },
    }),
  );
}

/** The keys of an object, for all its types; `__typename` means the same everywhere. */
const keysOf = (selection: SelectionNode): readonly string[] => {
  if (selection.kind === Kind.INLINE_FRAGMENT) return selection.selectionSet.selections.flatMap(keysOf);
  if (selection.kind !== Kind.FIELD) return [];
  const key = clientKey(selection);
  return key === '__typename' ? [] : [key];
};
