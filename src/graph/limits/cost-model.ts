import type { ArgumentNode, GraphQLNamedType, ValueNode } from 'graphql';
import { getNullableType, isInterfaceType, isListType, isObjectType, Kind } from 'graphql';
import type { TypedField } from '../typed-fields';
import type { CostOptions } from './limit-options';

/** A number of items: known from the document, or read from the variables of the request. */
export type Size = number | { readonly candidates: readonly SizeCandidate[]; readonly fallback: number };

type SizeCandidate = number | { readonly variable: string; readonly fallback: number | undefined };

/**
 * The price of a field: own + count × (item + what is selected below it), in points; an object in the answer is one
 * point. Below a connection, `edges` and `nodes` are multiplied by its page and everything else is not.
 */
export interface FieldPrice {
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
export function priceField(field: TypedField, options: CostOptions): FieldPrice {
  const name = field.node.name.value;
  const coordinate = `${field.parentType.name}.${name}`;
  const isIntrospection = name.startsWith('__') || field.parentType.name.startsWith('__');
  const weight = isIntrospection ? options.introspectionWeight : 1;
  const extra = own(options.fieldCosts, coordinate) ?? own(options.fieldCosts, name) ?? 0;
  const type = field.compositeType;
  if (type === undefined) {
    return { own: extra, item: 0, count: 1, page: options.defaultPageSize, perItem: false };
  }
  const price = isEnvelope(type) ? 0 : weight;
  const page = isConnection(type) ? pageSize(field, options) : options.defaultPageSize;
  if (!isListType(getNullableType(field.definition.type))) {
    return { own: price + extra, item: 0, count: 1, page, perItem: false };
  }
  if (isConnection(field.parentType)) {
    return { own: extra, item: price, count: 1, page, perItem: true };
  }
  return { own: weight + extra, item: price, count: listSize(field, options), page, perItem: false };
}

/** Resolves a size with the variables of the request; values that coercion will refuse count as absent. */
export function resolveSize(
  size: Size,
  variables: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<string, unknown>>,
): number {
  if (typeof size === 'number') return size;
  let largest: number | undefined;
  for (const candidate of size.candidates) {
    const value =
      typeof candidate === 'number'
        ? candidate
        : (toSize(own(variables, candidate.variable) ?? own(defaults, candidate.variable)) ?? candidate.fallback);
    if (value !== undefined && (largest === undefined || value > largest)) largest = value;
  }
  return largest ?? size.fallback;
}

/** PageInfo and edges only wrap objects that are already priced. */
const isEnvelope = (type: GraphQLNamedType): boolean => type.name === 'PageInfo' || hasFields(type, 'node', 'cursor');

const isConnection = (type: GraphQLNamedType): boolean => hasFields(type, 'pageInfo');

const hasFields = (type: GraphQLNamedType, ...names: readonly string[]): boolean =>
  (isObjectType(type) || isInterfaceType(type)) && names.every((name) => Object.hasOwn(type.getFields(), name));

const pageSize = (field: TypedField, options: CostOptions): Size =>
  sizeFromArguments(field, options.slicingArguments, options.defaultPageSize);

function listSize(field: TypedField, options: CostOptions): Size {
  const sizing = [...options.slicingArguments, ...options.batchArguments];
  return sizeFromArguments(field, sizing, options.assumedListSize);
}

function sizeFromArguments(field: TypedField, names: readonly string[], fallback: number): Size {
  const candidates: SizeCandidate[] = [];
  for (const argument of field.definition.args) {
    if (!names.includes(argument.name)) continue;
    const given = field.node.arguments?.find(({ name }) => name.value === argument.name);
    const candidate = toCandidate(given, toSize(argument.defaultValue));
    if (candidate !== undefined) candidates.push(candidate);
  }
  const size = { candidates, fallback };
  return candidates.every((candidate) => typeof candidate === 'number') ? resolveSize(size, {}, {}) : size;
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
