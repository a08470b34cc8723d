import type { ArgumentNode, GraphQLNamedType, ValueNode, OperationDefinitionNode } from 'graphql';
import { getNullableType, isInterfaceType, isListType, isObjectType, Kind } from 'graphql';
import { defaultPageSize } from '../../relay/connection';
import type { TypedField } from '../typed-fields';

/** Items of a list without pages: few products have more variants. */
const assumedListSize = 10;
/** Arguments that state how many items are returned. */
const slicingArguments = ['first', 'last'];
/** Arguments whose list has one entry for each item that is returned. */
const batchArguments = ['ids', 'representations'];
/** Extra points by field name or by coordinate (`ProductConnection.totalCount`): a count is a separate statement. */
const fieldCosts: Readonly<Record<string, number>> = {
  totalCount: 10,
  // Each may read everything that the shop has, once.
  'Shop.orderFigures': 200,
  'Query.orderFigures': 200,
  'OrderFigures.products': 200,
  'ProductFigures.statuses': 50,
  'ProductFigures.vendors': 50,
  'ProductFigures.productTypes': 50,
  'ProductFigures.tags': 50,
  'ProductFigures.outOfStock': 50,
  'ProductFigures.stockUnknown': 50,
  'ProductFigures.priceBands': 50,
};
/** Points of introspection relative to other fields: it is answered from memory. */
const introspectionWeight = 0.05;

/** A number of items: known from the document, or read from the variables of the request. */
type Size = number | { readonly candidates: readonly SizeCandidate[]; readonly fallback: number };

type SizeCandidate = number | { readonly variable: string; readonly fallback: number | undefined };

/**
 * The price of a field: own + count × (item + what is selected below it), in points; an object in the response is one
 * point. Below a connection, `edges` and `nodes` are multiplied by its page and everything else is not.
 */
interface FieldPrice {
  readonly own: number;
  readonly item: number;
  readonly count: Size;
  /** Multiplies the fields below that are `perItem`. */
  readonly page: Size;
  /** Counts once for each item of the surrounding connection. */
  readonly perItem: boolean;
}

/**
 * Prices one field from the schema's own structure, without annotations: connections are recognized by their
 * `pageInfo`, edges by `node` and `cursor`. Leaves are free, because their object is already priced.
 */
function priceField(field: TypedField): FieldPrice {
  const name = field.node.name.value;
  const coordinate = `${field.parentType.name}.${name}`;
  const isIntrospection = name.startsWith('__') || field.parentType.name.startsWith('__');
  const weight = isIntrospection ? introspectionWeight : 1;
  const extra = own(fieldCosts, coordinate) ?? own(fieldCosts, name) ?? 0;
  const type = field.compositeType;
  if (type === undefined) {
    return { own: extra, item: 0, count: 1, page: defaultPageSize, perItem: false };
  }
  const price = isEnvelope(type) ? 0 : weight;
  const page = isConnection(type) ? pageSize(field) : defaultPageSize;
  if (!isListType(getNullableType(field.definition.type))) {
    return { own: price + extra, item: 0, count: 1, page, perItem: false };
  }
  if (isConnection(field.parentType)) {
    return { own: extra, item: price, count: 1, page, perItem: true };
  }
  return { own: weight + extra, item: price, count: listSize(field), page, perItem: false };
}

/** Resolves a size with the variables of the request; values that coercion will refuse count as absent. */
function resolveSize(size: Size, variables: Readonly<Record<string, unknown>>): number {
  if (typeof size === 'number') return size;
  let largest: number | undefined;
  for (const candidate of size.candidates) {
    const value =
      typeof candidate === 'number' ? candidate : (toSize(own(variables, candidate.variable)) ?? candidate.fallback);
    if (value !== undefined && (largest === undefined || value > largest)) largest = value;
  }
  return largest ?? size.fallback;
}

/** PageInfo and edges only wrap objects that are already priced. */
const isEnvelope = (type: GraphQLNamedType): boolean => type.name === 'PageInfo' || hasFields(type, 'node', 'cursor');

const isConnection = (type: GraphQLNamedType): boolean => hasFields(type, 'pageInfo');

const hasFields = (type: GraphQLNamedType, ...names: readonly string[]): boolean =>
  (isObjectType(type) || isInterfaceType(type)) && names.every((name) => Object.hasOwn(type.getFields(), name));

const pageSize = (field: TypedField): Size => sizeFromArguments(field, slicingArguments, defaultPageSize);

const listSize = (field: TypedField): Size =>
  sizeFromArguments(field, [...slicingArguments, ...batchArguments], assumedListSize);

function sizeFromArguments(field: TypedField, names: readonly string[], fallback: number): Size {
  const candidates: SizeCandidate[] = [];
  for (const argument of field.definition.args) {
    if (!names.includes(argument.name)) continue;
    const given = field.node.arguments?.find(({ name }) => name.value === argument.name);
    const candidate = toCandidate(given, toSize(argument.defaultValue));
    if (candidate !== undefined) candidates.push(candidate);
  }
  const size = { candidates, fallback };
  return candidates.every((candidate) => typeof candidate === 'number') ? resolveSize(size, {}) : size;
}

function toCandidate(argument: ArgumentNode | undefined, fallback: number | undefined): SizeCandidate | undefined {
  if (argument === undefined) return fallback;
  if (argument.value.kind === Kind.VARIABLE) return { variable: argument.value.name.value, fallback };
  return literalSize(argument.value);
}

function literalSize(value: ValueNode): number | undefined {
  if (value.kind === Kind.INT) return toSize(Number(value.value));
  if (value.kind === Kind.LIST) return value.values.length;
  // A single value stands for a list of one; where a number is expected, validation has reported it.
  return value.kind === Kind.NULL ? undefined : 1;
}

/** A count, or the length of a list. */
function toSize(value: unknown): number | undefined {
  if (typeof value === 'number' && !Number.isNaN(value)) return Math.max(0, value);
  if (Array.isArray(value)) return value.length;
  return typeof value === 'string' ? 1 : undefined;
}

/** Names come from the client: `constructor` is not a price. */
const own = <Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

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
  /** Whether it is the same for all variables. */
  readonly isFixed: boolean;
}

/** Prices every field once. */
export function createOperationCost(operation: OperationDefinitionNode, fields: readonly TypedField[]): OperationCost {
  const defaults = variableDefaults(operation);
  let isFixed = true;
  const priceAll = (typed: readonly TypedField[]): readonly PricedField[] =>
    typed.flatMap((field) => {
      const price = priceField(field);
      // Most leaves cost nothing.
      if (field.compositeType === undefined && price.own === 0) return [];
      isFixed &&= typeof price.count === 'number' && typeof price.page === 'number';
      const responseName = (field.node.alias ?? field.node.name).value;
      return [{ responseName, price, below: priceAll(field.below) }];
    });
  const priced = priceAll(fields);
  const sizesOf = (variables: Variables) => {
    const given = { ...defaults, ...variables };
    return (size: Size) => resolveSize(size, given);
  };
  return {
    cost(variables) {
      const { once, perItem } = sum(priced, sizesOf(variables));
      return Math.ceil(once + times(defaultPageSize, perItem));
    },
    mostExpensive: (variables) => findMostExpensive(priced, sizesOf(variables)),
    isFixed,
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
