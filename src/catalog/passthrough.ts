import { MapperKind, mapSchema, getDirective } from '@graphql-tools/utils';
import type {
  GraphQLFieldResolver,
  GraphQLOutputType,
  GraphQLSchema,
  ArgumentNode,
  DocumentNode,
  FieldNode,
  GraphQLField,
  OperationDefinitionNode,
  SelectionNode,
  VariableDefinitionNode,
} from 'graphql';
import {
  GraphQLObjectType,
  GraphQLScalarType,
  defaultFieldResolver,
  getNamedType,
  isLeafType,
  isObjectType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { transcode } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { maximumAnswerBytes } from './answer-size';
import type { RawRow, ShopTableName, ProjectedColumn, Projection } from './rows/shop-tables';
import { typenames } from './model';
import { shopTables, isComplete, isRestForm, nestedTypename, variantsMember } from './rows/shop-tables';
import { defaultPageSize, isPageSize } from '../relay/connection';

/** JSON text, or a part of it; a buffer holds its UTF-8. */
export type JsonPart = string | Buffer;

/**
 * A value that is JSON text already, somewhere inside a value that is not. The text that PostgreSQL or an earlier
 * response has written is copied, and neither parsed nor serialized again. It may consist of several parts, so that
 * those of a long page need not be joined.
 */
export class RawJson {
  readonly parts: readonly JsonPart[];

  constructor(...parts: readonly JsonPart[]) {
    this.parts = parts;
  }

  /** In characters, or in bytes if it is in UTF-8. */
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

/** Holds an answer of usual size in UTF-16. */
const workspace = Buffer.allocUnsafeSlow(512 * 1024);

/**
 * The same text in UTF-8. Node.js converts UTF-16 in a buffer twice as fast as strings with characters beyond Latin-1.
 */
export function toUtf8(value: unknown, ending = ''): Buffer {
  const parts = [...toParts(value), ending];
  if (parts.some(Buffer.isBuffer) || 2 * new RawJson(...parts).length > workspace.length)
    return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  let end = 0;
  for (const part of parts) end += workspace.write(part as string, end, 'utf16le');
  return transcode(workspace.subarray(0, end), 'utf16le', 'utf8');
}

/**
 * The same text in chunks, for a value that would take long to serialize at once: each entry of a list of objects is a
 * chunk, at any depth, and so is each part of a raw text. A long entry is divided into chunks, too.
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
      if (member === undefined) continue;
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
 * A lower bound on the length of a value as JSON, found without serializing it: counts its texts and names, unescaped.
 * Rows that are read once may appear many times: by aliases, by repeated ids, by the product of each of its variants.
 * Stops when the length exceeds the limit of a response.
 */
export function jsonLength(value: unknown): number {
  let left = maximumAnswerBytes;
  const count = (part: unknown): void => {
    if (typeof part === 'string') left -= part.length + 2;
    else if (typeof part !== 'object' || part === null) left -= 4;
    else if (part instanceof RawJson) left -= part.length;
    else if (Array.isArray(part)) {
      for (let index = 0; index < part.length && left >= 0; index += 1) count(part[index]);
    } else {
      for (const name in part) {
        if (left < 0) return;
        left -= name.length + 4;
        count((part as Record<string, unknown>)[name]);
      }
    }
  };
  count(value);
  return maximumAnswerBytes - left;
}

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

const nodesField = 'nodes';
const productField = 'product';
/** For each of the two fields, the added field that returns raw JSON. */
const rawFields = { [nodesField]: 'rawNodes', [productField]: 'rawProduct' } as const;
const projectionArgument = 'projection';

/** Passes values through unchanged: JSON text as output, a projection as input. */
const opaque = new GraphQLScalarType({ name: 'RawJson' });

const tables: Readonly<Record<string, ShopTableName>> = {
  ProductConnection: 'products',
  CollectionConnection: 'collections',
  OrderConnection: 'orders',
  VariantConnection: 'variants',
};

/**
 * The table whose rows a connection lists; undefined for any other type, and for the variants of a product, because one
 * statement reads those of many.
 * @param parent The name of the type that the connection is a field of.
 */
function tableOfConnection(type: GraphQLOutputType, parent?: string): ShopTableName | undefined {
  if (parent === typenames.products || parent === typenames.collections) return undefined;
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

/** Adds the raw field, which uses the resolver of the given field, to the type. */
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

/** The members of a product that are lists of its variants. */
const nestedMembers: readonly string[] = [variantsMember, 'variantConnection'];

type Variables = Readonly<Record<string, unknown>>;

/** A document whose column-only selections are requested as raw JSON. */
interface PassthroughDocument {
  readonly document: DocumentNode;
  /**
   * The variables that describe the selections, beside those of the client.
   * @returns undefined for variables that executing the original document will refuse
   */
  toVariables(given: Variables): Variables | undefined;
}

/**
 * Finds the pages whose nodes are column-only selections, and products selected exactly as the REST API shows them, and
 * requests them as raw JSON instead: rows/row-form.ts makes the objects of the response from what PostgreSQL wrote, and
 * they are neither parsed nor resolved nor serialized here. A field is a column everywhere, unless it has a resolver.
 * @returns undefined when the document has neither, and when it selects the schema, which must not show raw fields
 */
export function rewriteForPassthrough(schema: GraphQLSchema, document: DocumentNode): PassthroughDocument | undefined {
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  // The variables belong to an operation, and fragments belong to several.
  if (operations.length !== 1) return undefined;
  const projections: Record<string, Selected> = {};
  const given = new Set(
    (operations[0] as OperationDefinitionNode).variableDefinitions?.map(({ variable }) => variable.name.value),
  );
  const types = new TypeInfo(schema);
  const rewritten = visit(
    operations[0] as OperationDefinitionNode,
    visitWithTypeInfo(types, {
      Field: (field) => {
        if (types.getParentType() === schema.getQueryType() && isRestProduct(schema, field)) return askRaw(field);
        const projection = toProjection(schema, types, field);
        if (projection === undefined) return undefined;
        const name = unusedName(given);
        projections[name] = projection;
        return askRawNodes(field, name);
      },
    }),
  );
  if (rewritten === operations[0] || selectsSchema(document)) return undefined;
  const names = Object.keys(projections);
  const operation = {
    ...rewritten,
    variableDefinitions: [...(rewritten.variableDefinitions ?? []), ...names.map(toVariableDefinition)],
  };
  return {
    document: { ...document, definitions: document.definitions.map((it) => (it === operations[0] ? operation : it)) },
    toVariables(given) {
      const variables: Record<string, unknown> = { ...given };
      for (const [name, selected] of Object.entries(projections)) {
        const projection = withSizes(selected, given);
        if (projection === undefined) return undefined;
        variables[name] = projection;
      }
      return variables;
    },
  };
}

function selectsSchema(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Field: ({ name }) => {
      found ||= name.value === '__schema' || name.value === '__type';
    },
  });
  return found;
}

/** A projection whose page sizes may come from variables. */
type Selected = readonly (Omit<ProjectedColumn, 'below' | 'first'> & {
  readonly below?: Selected;
  readonly first?: number | { readonly variable: string };
})[];

/** The projection with the sizes from these variables; undefined if one of them is not a size or is omitted. */
function withSizes(selected: Selected, variables: Variables): Projection | undefined {
  const projection = selected.map(({ below, first, ...column }) => {
    const size = typeof first === 'object' ? (variables[first.variable] ?? NaN) : first;
    const inner = below && withSizes(below, variables);
    if ((size !== undefined && !isPageSize(size)) || (below !== undefined && inner === undefined)) return undefined;
    return { ...column, ...(inner && { below: inner }), ...(size !== undefined && { first: size as number }) };
  });
  return isComplete(projection) ? projection : undefined;
}

/** A variable name that the client has not used, which is reserved from now on. */
function unusedName(given: Set<string>): string {
  let index = given.size;
  while (given.has(`__projection${index}`)) index += 1;
  const name = `__projection${index}`;
  given.add(name);
  return name;
}

/**
 * The projection of the field's `nodes`, when the field is a page of rows, selects no edges, and its nodes are only
 * columns.
 */
function toProjection(schema: GraphQLSchema, types: TypeInfo, { selectionSet }: FieldNode): Selected | undefined {
  const type = types.getType();
  const table = type ? tableOfConnection(type, types.getParentType()?.name) : undefined;
  if (table === undefined || !selectionSet) return undefined;
  const fields = selectionSet.selections;
  const [nodes, ...more] = fields.filter((field) => field.kind === Kind.FIELD && field.name.value === nodesField);
  const needsRows = fields.some((field) => field.kind !== Kind.FIELD || field.name.value === 'edges');
  if (nodes?.kind !== Kind.FIELD || nodes.selectionSet === undefined || more.length > 0 || needsRows) return undefined;

  return toColumns(schema, table, nodes.selectionSet.selections);
}

/**
 * Whether the field is a product with its variants exactly as the REST API shows it: PostgreSQL stores that, too.
 */
function isRestProduct(schema: GraphQLSchema, { name, selectionSet }: FieldNode): boolean {
  if (name.value !== productField || !selectionSet) return false;
  const variants = selectionSet.selections.at(-1);
  if (variants?.kind !== Kind.FIELD || variants.name.value !== variantsMember || !isPlain(variants)) return false;
  const columns = toColumns(schema, 'products', selectionSet.selections.slice(0, -1));
  const variantColumns = toColumns(schema, 'variants', variants.selectionSet?.selections ?? []);
  return isRestForm('products', columns ?? []) && isRestForm('variants', variantColumns ?? []);
}

/** Selected under its own name and unconditionally. */
const isPlain = ({ alias, directives }: FieldNode): boolean => alias === undefined && !directives?.length;

/** The projection of the selections on a row of the table, when they are only columns, each under a unique name. */
function toColumns(
  schema: GraphQLSchema,
  table: ShopTableName,
  selections: readonly SelectionNode[],
): Selected | undefined {
  const { columns } = shopTables[table];
  const row = schema.getType(typenames[table]);
  if (!isObjectType(row)) return undefined;
  return toSelected(selections, (field) => {
    const member = field.name.value;
    const definition = row.getFields()[member];
    if (definition === undefined) return undefined;
    if (table === 'products' && nestedMembers.includes(member))
      return isGuardedAs(schema, row, definition) ? toNested(schema, row, field) : undefined;
    if (!Object.hasOwn(columns, member) || definition.resolve !== undefined) return undefined;
    return isLeafType(getNamedType(definition.type)) || isWhole(field, definition.type) ? { member } : undefined;
  });
}

type SelectedMember = Omit<Selected[number], 'name'>;

/** Selections without conditions, each under a unique name. @param toMember Undefined for what is not a column. */
function toSelected(
  selections: readonly SelectionNode[],
  toMember: (field: FieldNode) => SelectedMember | undefined,
): Selected | undefined {
  const names = new Set<string>();
  const selected: Selected[number][] = [];
  for (const selection of selections) {
    if (selection.kind !== Kind.FIELD || (selection.directives?.length ?? 0) > 0) return undefined;
    const name = (selection.alias ?? selection.name).value;
    const member = selection.name.value === '__typename' ? { member: '__typename' } : toMember(selection);
    if (member === undefined || names.has(name)) return undefined;
    names.add(name);
    selected.push({ name, ...member });
  }
  return selected;
}

/** The variants of a product, as a list or as a page without cursors, when they are only columns. */
function toNested(schema: GraphQLSchema, product: GraphQLObjectType, field: FieldNode): SelectedMember | undefined {
  const member = field.name.value;
  const selections = field.selectionSet?.selections ?? [];
  if (member === variantsMember) {
    const below = toColumns(schema, 'variants', selections);
    return below && { member, below };
  }
  const first = toPageSize(field.arguments ?? []);
  const connection = schema.getType(nestedTypename);
  if (first === undefined || !isObjectType(connection)) return undefined;
  const below = toSelected(selections, ({ name, selectionSet }) => {
    const definition = connection.getFields()[name.value];
    if (name.value === 'totalCount') return { member: 'variantCount' };
    if (name.value !== nodesField || !definition || !isGuardedAs(schema, product, definition)) return undefined;
    const variants = toColumns(schema, 'variants', selectionSet?.selections ?? []);
    return variants && { member: variantsMember, below: variants, first };
  });
  return below && { member, below };
}

function toPageSize([first, ...others]: readonly ArgumentNode[]): number | { readonly variable: string } | undefined {
  if (first === undefined) return defaultPageSize;
  if (first.name.value !== 'first' || others.length > 0) return undefined;
  if (first.value.kind === Kind.VARIABLE) return { variable: first.value.name.value };
  const size = first.value.kind === Kind.INT ? Number(first.value.value) : NaN;
  return isPageSize(size) ? size : undefined;
}

/** Whether a field requires what its type does, and no more: then the guard before the type is enough. */
function isGuardedAs(schema: GraphQLSchema, row: GraphQLObjectType, field: GraphQLField<unknown, unknown>): boolean {
  const guards = [row, field, getNamedType(field.type)].map((each) => getDirective(schema, each, 'requiresScopes'));
  const [ofRow, ofField, ofType] = guards.map((guard) => JSON.stringify(guard));
  return ofField === undefined && ofType === ofRow;
}

/** Whether a non-leaf field is selected with all its members, and stored as it is shown. */
function isWhole({ selectionSet }: FieldNode, type: GraphQLOutputType): boolean {
  const object = getNamedType(type);
  if (!isObjectType(object) || !selectionSet) return false;
  if (Object.values(object.getFields()).some(({ resolve }) => resolve !== undefined)) return false;
  const names = selectionSet.selections.map((selection) =>
    selection.kind === Kind.FIELD && isPlain(selection) ? selection.name.value : undefined,
  );
  return names.join() === Object.keys(object.getFields()).join();
}

/** Replaces the field by the raw field, under its own name in the response. */
function askRaw({ selectionSet: _, ...field }: FieldNode): FieldNode {
  const name = rawFields[field.name.value as keyof typeof rawFields];
  return { ...field, alias: field.alias ?? field.name, name: { kind: Kind.NAME, value: name } };
}

/** The same field with the projection of its nodes, and raw nodes. */
function askRawNodes(field: FieldNode, variable: string): FieldNode {
  const argument = {
    kind: Kind.ARGUMENT,
    name: { kind: Kind.NAME, value: projectionArgument },
    value: { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: variable } },
  } as const;
  const selections = (field.selectionSet?.selections ?? []).map((selection) =>
    selection.kind === Kind.FIELD && selection.name.value === nodesField ? askRaw(selection) : selection,
  );
  return {
    ...field,
    arguments: [...(field.arguments ?? []), argument],
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
}

const toVariableDefinition = (name: string): VariableDefinitionNode => ({
  kind: Kind.VARIABLE_DEFINITION,
  variable: { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } },
  type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: opaque.name } },
});
