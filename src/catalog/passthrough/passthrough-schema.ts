import { MapperKind, mapSchema } from '@graphql-tools/utils';
import type { GraphQLFieldResolver, GraphQLOutputType, GraphQLSchema } from 'graphql';
import { GraphQLObjectType, GraphQLScalarType, defaultFieldResolver, getNamedType } from 'graphql';
import { randomUUID } from 'node:crypto';
import { estimateLength } from '../operation-reads';
import type { LargeProduct } from '../rows/large-product';
import type { RawRow, ShopTableName } from '../rows/shop-tables';
import { shopTables } from '../rows/shop-tables';

/** JSON text, or a part of it; a buffer holds its UTF-8. */
export type JsonPart = string | Buffer;

/**
 * A value that is JSON text already, somewhere inside a value that is not. The text that PostgreSQL or an earlier
 * answer has written is copied, and neither parsed nor serialized again. It may be in several parts, so that no one has
 * to join those of a long page.
 */
export class RawJson {
  readonly parts: readonly JsonPart[];

  constructor(...parts: readonly JsonPart[]) {
    this.parts = parts;
  }

  /** In characters, or in bytes where it is in UTF-8. */
  get length(): number {
    return this.parts.reduce((length, part) => length + part.length, 0);
  }

  /** For JSON.stringify itself, outside `stringify`: correct, but without the gain in speed. */
  toJSON(): unknown {
    if (collected === undefined) return JSON.parse(this.parts.join(''));
    collected.push(this);
    return placeholder;
  }
}

/** The entries of a JSON list or object with commas between them. */
export const separateEntries = (entries: readonly JsonPart[]): readonly JsonPart[] =>
  entries.flatMap((entry, index) => (index === 0 ? [entry] : [',', entry]));

/** The placeholder of a raw text. It is unknown outside this process, so no value can contain it. */
const placeholder = randomUUID();
const writtenPlaceholder = JSON.stringify(placeholder);

/** The raw texts in the value that is being serialized, in order of appearance. */
let collected: RawJson[] | undefined;

/** Serializes a value as JSON.stringify does, and copies its raw parts. */
export const stringify = (value: unknown): string => toParts(value).join('');

/** The same text in UTF-8. */
export const toBuffers = (value: unknown): readonly Buffer[] =>
  toParts(value).map((part) => (typeof part === 'string' ? Buffer.from(part) : part));

/**
 * The same text in chunks, for a value that would take long to serialize at once: each entry of a list of objects is a
 * chunk, at any depth, and so is each part of a raw text. An entry that is long itself is in chunks, too.
 */
export function* stringifyInChunks(value: unknown): Generator<JsonPart, void> {
  if (Array.isArray(value) && value.some(isObject)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? '[' : ',';
      if (jsonLength(item) > longEntry) yield* stringifyInChunks(item);
      else yield* toParts(item);
    }
    yield ']';
  } else if (isObject(value) && !Array.isArray(value)) {
    let separator = '{';
    for (const [name, member] of Object.entries(value)) {
      yield `${separator}${JSON.stringify(name)}:`;
      yield* stringifyInChunks(member);
      separator = ',';
    }
    yield separator === '{' ? '{}' : '}';
  } else {
    yield* toParts(value);
  }
}

/** In characters. */
const longEntry = 64 * 1024;

/**
 * The length of a value with raw parts when it is serialized, as far as that is known before (../operation-reads.ts).
 */
export const jsonLength = (value: unknown): number =>
  estimateLength(value, (part) => (part instanceof RawJson ? part.length : undefined));

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof RawJson);

/** What JSON.stringify writes, between the raw parts. */
function toParts(value: unknown): readonly JsonPart[] {
  if (value instanceof RawJson) return value.parts;
  const raw: RawJson[] = [];
  collected = raw;
  try {
    const text = JSON.stringify(value);
    if (raw.length === 0) return [text];
    const [start = '', ...between] = text.split(writtenPlaceholder);
    return [start, ...between.flatMap((part, index) => [...(raw[index] as RawJson).parts, part])];
  } finally {
    collected = undefined;
  }
}

export const nodesField = 'nodes';
export const productField = 'product';
/** The field beside each of the two whose value is raw JSON. */
export const rawFields = { [nodesField]: 'rawNodes', [productField]: 'rawProduct' } as const;
export const projectionArgument = 'projection';

/** Passes values through unchanged: JSON text as output, a projection as input. */
export const opaque = new GraphQLScalarType({ name: 'RawJson' });

const tables: Readonly<Record<string, ShopTableName>> = {
  ProductConnection: 'products',
  CollectionConnection: 'collections',
  OrderConnection: 'orders',
  VariantConnection: 'variants',
};

/**
 * The table whose rows a connection lists; undefined for any other type, and for the variants of a product: one
 * statement reads those of many.
 * @param parent The name of the type that the connection is a field of.
 */
export function tableOfConnection(type: GraphQLOutputType, parent?: string): ShopTableName | undefined {
  if (parent === shopTables.products.typename) return undefined;
  const { name } = getNamedType(type);
  return Object.hasOwn(tables, name) ? tables[name] : undefined;
}

/**
 * The schema that executes rewritten documents. Clients cannot use it: their documents are validated against the schema
 * without these fields. `rawNodes` uses the resolver of `nodes`, `rawProduct` that of `product`, so the same guards
 * apply.
 */
export const withPassthroughFields = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (config, _, typeName) =>
      tableOfConnection(config.type, typeName) === undefined
        ? config
        : { ...config, args: { ...config.args, [projectionArgument]: { type: opaque } } },
    [MapperKind.QUERY]: (type) =>
      withRawField(
        type,
        productField,
        (resolve) => (root, given, context, info) => resolve(root, { ...given, isRaw: true }, context, info),
      ),
    [MapperKind.OBJECT_TYPE]: (type) =>
      tableOfConnection(type) === undefined
        ? type
        : withRawField(type, nodesField, (resolve) => (page, given, context, info) => {
            const nodes = resolve(page, given, context, { ...info, fieldName: nodesField }) as readonly RawRow[];
            return new RawJson('[', ...separateEntries(nodes.map(({ json }) => json)), ']');
          }),
  });

type Resolver = GraphQLFieldResolver<unknown, unknown>;

/** The type with the raw field beside the field, which uses that field's resolver. */
function withRawField(
  type: GraphQLObjectType,
  name: keyof typeof rawFields,
  toRaw: (resolve: Resolver) => Resolver,
): GraphQLObjectType {
  const config = type.toConfig();
  const { args = {}, resolve = defaultFieldResolver } = config.fields[name] ?? {};
  config.fields[rawFields[name]] = { type: opaque, args, resolve: toRaw(resolve) };
  return new GraphQLObjectType(config);
}

/**
 * Takes the place of the product in the text of the answer. JSON text never contains it, because it escapes control
 * characters.
 */
const position = '\x1e';

/**
 * The product of an answer that is read while it is written, because no answer has room for it (docs/decisions.md 41).
 */
export class StreamedProduct {
  #product: LargeProduct | undefined;

  get product(): LargeProduct | undefined {
    return this.#product;
  }

  /** @returns what the resolver answers instead. An answer has one such product: others end the operation. */
  hold(product: LargeProduct): RawJson {
    this.#product = product;
    return new RawJson(position);
  }

  /** What the answer has before and behind the product. */
  static split(text: string): readonly [start: string, end: string] {
    const [start = '', end = ''] = text.split(position);
    return [start, end];
  }
}
