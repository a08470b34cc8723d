import type { OperationDefinitionNode } from 'graphql';
import { Kind } from 'graphql';
import type { TypedField } from '../typed-fields';
import type { FieldPrice, Size } from './cost-model';
import { priceField, resolveSize } from './cost-model';
import type { CostOptions } from './limit-options';

type Variables = Readonly<Record<string, unknown>>;

interface PricedField {
  readonly responseName: string;
  readonly price: FieldPrice;
  readonly below: readonly PricedField[];
}

export interface ExpensiveField {
  /** Response names from the root down, such as `products.nodes.variants`. */
  readonly path: string;
  /** The cost of this field and those below it, for all surrounding items. */
  readonly cost: number;
}

/** The cost of one operation, computed from its variables alone; nothing is executed. */
export interface OperationCost {
  cost(variables: Variables): number;
  mostExpensive(variables: Variables): ExpensiveField | undefined;
}

/** Prices every field once. */
export function createOperationCost(
  operation: OperationDefinitionNode,
  fields: readonly TypedField[],
  options: CostOptions,
): OperationCost {
  const defaults = variableDefaults(operation);
  const priceAll = (typed: readonly TypedField[]): readonly PricedField[] =>
    typed.flatMap((field) => {
      const price = priceField(field, options);
      // Most leaves cost nothing.
      if (field.compositeType === undefined && price.own === 0) return [];
      const responseName = (field.node.alias ?? field.node.name).value;
      return [{ responseName, price, below: priceAll(field.below) }];
    });
  const priced = priceAll(fields);
  const sizesOf = (variables: Variables) => (size: Size) => resolveSize(size, variables, defaults);
  return {
    cost(variables) {
      const { once, perItem } = sum(priced, sizesOf(variables));
      return Math.ceil(once + times(options.defaultPageSize, perItem));
    },
    mostExpensive: (variables) => findMostExpensive(priced, sizesOf(variables)),
  };
}

type SizeOf = (size: Size) => number;

/** What counts once, and what counts for each item of the surrounding connection. */
function sum(fields: readonly PricedField[], sizeOf: SizeOf): { readonly once: number; readonly perItem: number } {
  let [once, perItem] = [0, 0];
  for (const field of fields) {
    if (field.price.perItem) perItem += costOf(field, sizeOf);
    else once += costOf(field, sizeOf);
  }
  return { once, perItem };
}

function costOf({ price: { own, item, count, page }, below }: PricedField, sizeOf: SizeOf): number {
  const { once, perItem } = sum(below, sizeOf);
  return own + times(sizeOf(count), item + once + times(sizeOf(page), perItem));
}

/** Zero pages of unbounded items are zero, not NaN. */
const times = (size: number, each: number): number => (size === 0 || each === 0 ? 0 : size * each);

/** Descends while one field makes up more than half of its parent's cost: that field is the one to change. */
function findMostExpensive(root: readonly PricedField[], sizeOf: SizeOf): ExpensiveField | undefined {
  let found: ExpensiveField | undefined;
  let [fields, page, multiplicity] = [root, 1, 1];
  for (;;) {
    let heaviest: { readonly field: PricedField; readonly timesHere: number; readonly cost: number } | undefined;
    for (const field of fields) {
      const timesHere = times(multiplicity, field.price.perItem ? page : 1);
      const cost = times(timesHere, costOf(field, sizeOf));
      if (cost > (heaviest?.cost ?? 0)) heaviest = { field, timesHere, cost };
    }
    if (heaviest === undefined || (found !== undefined && heaviest.cost * 2 <= found.cost)) return found;
    const { field, timesHere, cost } = heaviest;
    found = { path: found ? `${found.path}.${field.responseName}` : field.responseName, cost: Math.ceil(cost) };
    fields = field.below;
    page = sizeOf(field.price.page);
    multiplicity = times(timesHere, sizeOf(field.price.count));
  }
}

/** Only numbers matter here: defaults of `$first`. */
function variableDefaults({ variableDefinitions = [] }: OperationDefinitionNode): Variables {
  const defaults: Record<string, unknown> = {};
  for (const { variable, defaultValue } of variableDefinitions) {
    if (defaultValue?.kind === Kind.INT) defaults[variable.name.value] = Number(defaultValue.value);
    if (defaultValue?.kind === Kind.LIST) defaults[variable.name.value] = defaultValue.values.length;
  }
  return defaults;
}
