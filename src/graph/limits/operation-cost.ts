import { Kind } from 'graphql';
import type { DefinitionOutline, OperationOutline } from './document-outline';
import type { FieldPrice } from './cost-model';
import { priceField, resolveSize } from './cost-model';
import type { CostOptions } from './limit-options';

/** Two sums of a selection: what counts once, and what counts for each item of the surrounding connection. */
interface Sums {
  readonly once: number;
  readonly perItem: number;
}

interface PricedField {
  readonly kind: 'field';
  readonly parent: number;
  readonly responseName: string;
  readonly price: FieldPrice;
}

interface PricedSpread {
  readonly kind: 'spread';
  readonly parent: number;
  readonly fragment: PricedDefinition;
}

interface PricedDefinition {
  /** Only fields that cost anything; most leaves do not. */
  readonly nodes: readonly (PricedField | PricedSpread)[];
  /** Known before any request if no size within depends on a variable. */
  readonly constant: Sums | undefined;
}

export interface ExpensiveField {
  /** Response names from the root down, such as `products.nodes.variants`. */
  readonly path: string;
  /** The cost of this field and those below it, for all surrounding items. */
  readonly cost: number;
}

/** The cost of one operation, computed from its variables alone; nothing is executed. */
export interface OperationCost {
  cost(variables: Readonly<Record<string, unknown>>): number;
  mostExpensive(variables: Readonly<Record<string, unknown>>): ExpensiveField | undefined;
  /** Nodes that have to be evaluated for one request's variables: 0 if the cost is fixed. */
  readonly nodesPerRequest: number;
}

/** Prices every field once; a request needs only one pass over the parts whose sizes are variables. */
export function createOperationCost(outline: OperationOutline, options: CostOptions): OperationCost {
  const defaults = variableDefaults(outline);
  const priced = new Map<string, PricedDefinition>();
  for (const [name, fragment] of outline.fragments) priced.set(name, priceDefinition(fragment, priced, options));
  const root = priceDefinition(outline.root, priced, options);
  const inOrder = [...priced.values(), root];

  const sumAll = (variables: Readonly<Record<string, unknown>>): Map<PricedDefinition, Sums> => {
    const sums = new Map<PricedDefinition, Sums>();
    for (const definition of inOrder) {
      sums.set(definition, definition.constant ?? fold(definition, new Worth(variables, defaults, sums)));
    }
    return sums;
  };
  const total = (sums: Sums | undefined): number =>
    Math.ceil((sums?.once ?? 0) + times(options.defaultPageSize, sums?.perItem ?? 0));

  return {
    cost: (variables) => total(root.constant ?? sumAll(variables).get(root)),
    mostExpensive: (variables) => findMostExpensive(root, new Worth(variables, defaults, sumAll(variables))),
    nodesPerRequest: root.constant
      ? 0
      : inOrder.reduce((sum, { constant, nodes }) => sum + (constant ? 0 : nodes.length), 0),
  };
}

/** Sizes and fragments' sums of one request. */
class Worth {
  constructor(
    private readonly variables: Readonly<Record<string, unknown>>,
    private readonly defaults: Readonly<Record<string, unknown>>,
    private readonly fragments: ReadonlyMap<PricedDefinition, Sums>,
  ) {}

  ofField({ price }: PricedField, below: Sums): number {
    const each = price.item + below.once + times(this.page(price), below.perItem);
    return price.own + times(resolveSize(price.count, this.variables, this.defaults), each);
  }

  ofSpread({ fragment }: PricedSpread): Sums {
    return fragment.constant ?? this.fragments.get(fragment) ?? nothing;
  }

  page(price: FieldPrice): number {
    return resolveSize(price.page, this.variables, this.defaults);
  }

  count(price: FieldPrice): number {
    return resolveSize(price.count, this.variables, this.defaults);
  }
}

const nothing: Sums = { once: 0, perItem: 0 };

/** Zero pages of unbounded items are zero, not NaN. */
const times = (size: number, each: number): number => (size === 0 || each === 0 ? 0 : size * each);

/**
 * Children come after their parents: iterating from the end, every field's children are summed before the field is
 * reached.
 */
function fold(
  { nodes }: Pick<PricedDefinition, 'nodes'>,
  worth: Worth,
  each?: (index: number, sums: Sums) => void,
): Sums {
  const once = new Float64Array(nodes.length + 1);
  const perItem = new Float64Array(nodes.length + 1);
  for (let index = nodes.length - 1; index >= 0; index--) {
    const node = nodes[index];
    if (node === undefined) continue;
    const below = { once: once[index + 1] ?? 0, perItem: perItem[index + 1] ?? 0 };
    const sums = contribution(node, below, worth);
    each?.(index, sums);
    const into = node.parent + 1;
    once[into] = (once[into] ?? 0) + sums.once;
    perItem[into] = (perItem[into] ?? 0) + sums.perItem;
  }
  return { once: once[0] ?? 0, perItem: perItem[0] ?? 0 };
}

function contribution(node: PricedField | PricedSpread, below: Sums, worth: Worth): Sums {
  if (node.kind === 'spread') return worth.ofSpread(node);
  const value = worth.ofField(node, below);
  return node.price.perItem ? { once: 0, perItem: value } : { once: value, perItem: 0 };
}

function priceDefinition(
  { nodes }: DefinitionOutline,
  fragments: ReadonlyMap<string, PricedDefinition>,
  options: CostOptions,
): PricedDefinition {
  const priced: (PricedField | PricedSpread)[] = [];
  const positions: number[] = [];
  let isConstant = true;
  nodes.forEach((node, index) => {
    const parent = node.parent === -1 ? -1 : (positions[node.parent] ?? -1);
    if (node.kind === 'spread') {
      const fragment = fragments.get(node.fragment);
      if (fragment === undefined) return;
      isConstant &&= fragment.constant !== undefined;
      priced.push({ kind: 'spread', parent, fragment });
      return;
    }
    const price = priceField(node, options);
    if (node.compositeType === undefined && price.own === 0) return;
    isConstant &&= typeof price.count === 'number' && typeof price.page === 'number';
    positions[index] = priced.length;
    const { alias, name } = node.syntax;
    priced.push({ kind: 'field', parent, responseName: (alias ?? name).value, price });
  });
  const constant = isConstant ? fold({ nodes: priced }, new Worth({}, {}, new Map())) : undefined;
  return { nodes: priced, constant };
}

/** Descends while one field makes up more than half of its parent's cost: that field is the one to change. */
function findMostExpensive(root: PricedDefinition, worth: Worth): ExpensiveField | undefined {
  const path: string[] = [];
  let found: ExpensiveField | undefined;
  let definition = root;
  let parent = -1;
  let page = 1;
  let multiplicity = 1;
  for (;;) {
    let heaviest: { node: PricedField | PricedSpread; index: number; cost: number } | undefined;
    const at = parent;
    fold(definition, worth, (index, sums) => {
      const node = definition.nodes[index];
      if (node?.parent !== at) return;
      const cost = times(multiplicity, sums.once + times(page, sums.perItem));
      if (heaviest === undefined || cost >= heaviest.cost) heaviest = { node, index, cost };
    });
    const next = heaviest as { node: PricedField | PricedSpread; index: number; cost: number } | undefined;
    if (next === undefined || next.cost === 0 || (found !== undefined && next.cost * 2 <= found.cost)) return found;
    if (next.node.kind === 'spread') {
      definition = next.node.fragment;
      parent = -1;
      continue;
    }
    path.push(next.node.responseName);
    found = { path: path.join('.'), cost: Math.ceil(next.cost) };
    parent = next.index;
    const { price } = next.node;
    multiplicity = times(multiplicity, price.perItem ? page : 1);
    multiplicity = times(multiplicity, worth.count(price));
    page = worth.page(price);
  }
}

/** Only numbers matter here: defaults of `$first`. */
function variableDefaults({ operation }: OperationOutline): Readonly<Record<string, unknown>> {
  const defaults: Record<string, unknown> = {};
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    if (defaultValue?.kind === Kind.INT) defaults[variable.name.value] = Number(defaultValue.value);
    if (defaultValue?.kind === Kind.LIST) defaults[variable.name.value] = defaultValue.values.length;
  }
  return defaults;
}
