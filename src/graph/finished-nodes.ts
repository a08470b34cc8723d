import type {
  DocumentNode,
  FieldNode,
  GraphQLField,
  GraphQLFieldResolver,
  GraphQLOutputType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionNode,
  VariableDefinitionNode,
} from 'graphql';
import {
  defaultFieldResolver,
  getNamedType,
  GraphQLObjectType,
  GraphQLScalarType,
  isLeafType,
  isObjectType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import { FinishedJson } from '../catalog/finished-json';
import type { FinishedRow, Projection } from '../catalog/projection';
import { isComplete, maximumNameLength } from '../catalog/projection';
import { isRestForm } from '../catalog/row-json';
import type { ShopTableName } from '../catalog/shop-tables';
import { shopTables } from '../catalog/shop-tables';

/** Types whose connections are lists of rows. */
const tableOf: Readonly<Record<string, ShopTableName>> = {
  ProductConnection: 'products',
  CollectionConnection: 'collections',
  OrderConnection: 'orders',
};

const nodesField = 'nodes';
const productField = 'product';
const variantsField = 'variants';
/** In the place of one of them, where its value is finished. */
const finishedFields = { [nodesField]: 'finishedNodes', [productField]: 'finishedProduct' } as const;
const projectionArgument = 'projection';

/** Passes through as it is: JSON text on its way out, a projection on its way in. */
const opaque = new GraphQLScalarType({ name: 'Finished' });

/** A document in which nodes that are nothing but columns are finished by the database, and the variables that say how. */
export interface FinishedDocument {
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, Projection>>;
}

/**
 * The schema, to run finished documents on. Clients never meet it: what they send is held to the schema without these fields.
 * `finishedNodes` asks the resolver of `nodes`, `finishedProduct` that of `product`, and so they pass the same guards.
 */
export const withFinishedNodes = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (config) =>
      isRowConnection(config.type)
        ? { ...config, args: { ...config.args, [projectionArgument]: { type: opaque } } }
        : config,
    [MapperKind.QUERY]: (type) =>
      withField(type, productField, (resolve) => async (root, given, context, info) => {
        const json = (await resolve(root, { ...given, isFinished: true }, context, info)) as string | null;
        return json === null ? null : new FinishedJson(json);
      }),
    [MapperKind.OBJECT_TYPE]: (type) =>
      isRowConnection(type)
        ? withField(type, nodesField, (resolve) => (page, given, context, info) => {
            const nodes = resolve(page, given, context, { ...info, fieldName: nodesField }) as readonly FinishedRow[];
            return new FinishedJson(`[${nodes.map(({ json }) => json).join(',')}]`);
          })
        : type,
  });

type Resolver = GraphQLFieldResolver<unknown, unknown>;

/** The type with a finished field beside the field, which asks the resolver of that one. */
function withField(
  type: GraphQLObjectType,
  name: keyof typeof finishedFields,
  toFinished: (resolve: Resolver) => Resolver,
): GraphQLObjectType {
  const config = type.toConfig();
  const { args = {}, resolve = defaultFieldResolver } = config.fields[name] ?? {};
  config.fields[finishedFields[name]] = { type: opaque, args, resolve: toFinished(resolve) };
  return new GraphQLObjectType(config);
}

/**
 * Finds the pages of which a document wants nothing but columns, and products that it wants as the REST API shows them, and asks
 * for them as finished text instead: the database has the objects as the answer shows them, and they are neither parsed nor
 * resolved nor written here. What stands for a field is the same everywhere: a column, unless it has a resolver.
 * @returns undefined when there is neither.
 */
export function finishNodes(schema: GraphQLSchema, document: DocumentNode): FinishedDocument | undefined {
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  // The variables belong to an operation, and fragments belong to several.
  if (operations.length !== 1) return undefined;
  const variables: Record<string, Projection> = {};
  const given = new Set(
    (operations[0] as OperationDefinitionNode).variableDefinitions?.map(({ variable }) => variable.name.value),
  );
  const types = new TypeInfo(schema);
  const finished = visit(
    operations[0] as OperationDefinitionNode,
    visitWithTypeInfo(types, {
      Field: (field) => {
        if (types.getParentType() === schema.getQueryType() && isRestProduct(schema, field)) return askFinished(field);
        const projection = toProjection(schema, types.getType(), field);
        if (projection === undefined) return undefined;
        const name = unusedName(given);
        variables[name] = projection;
        return askFinishedNodes(field, name);
      },
    }),
  );
  if (finished === operations[0]) return undefined;
  const names = Object.keys(variables);
  const operation = {
    ...finished,
    variableDefinitions: [...(finished.variableDefinitions ?? []), ...names.map(toVariableDefinition)],
  };
  return {
    document: { ...document, definitions: document.definitions.map((it) => (it === operations[0] ? operation : it)) },
    variables,
  };
}

/** A name of a variable that the client has not given, and that is taken from now on. */
function unusedName(given: Set<string>): string {
  let index = given.size;
  while (given.has(`__projection${index}`)) index += 1;
  const name = `__projection${index}`;
  given.add(name);
  return name;
}

const isRowConnection = (type: GraphQLOutputType): boolean => Object.hasOwn(tableOf, getNamedType(type).name);

/** What the field's `nodes` show, when the field is a page of rows, asks for no edges, and its nodes are columns alone. */
function toProjection(
  schema: GraphQLSchema,
  type: GraphQLOutputType | null | undefined,
  { selectionSet }: FieldNode,
): Projection | undefined {
  if (!type || !selectionSet || !isRowConnection(type)) return undefined;
  const fields = selectionSet.selections;
  const [nodes, ...more] = fields.filter((field) => field.kind === Kind.FIELD && field.name.value === nodesField);
  const needsRows = fields.some((field) => field.kind !== Kind.FIELD || field.name.value === 'edges');
  if (nodes?.kind !== Kind.FIELD || nodes.selectionSet === undefined || more.length > 0 || needsRows) return undefined;

  return toColumns(schema, tableOf[getNamedType(type).name] as ShopTableName, nodes.selectionSet.selections);
}

/** Whether the field is a product with its variants as the REST API shows it: that, too, comes finished from the database. */
function isRestProduct(schema: GraphQLSchema, { name, selectionSet }: FieldNode): boolean {
  if (name.value !== productField || !selectionSet) return false;
  const variants = selectionSet.selections.at(-1);
  if (variants?.kind !== Kind.FIELD || variants.name.value !== variantsField || !isPlain(variants)) return false;
  const columns = toColumns(schema, 'products', selectionSet.selections.slice(0, -1));
  const variantColumns = toColumns(schema, 'variants', variants.selectionSet?.selections ?? []);
  return isRestForm('products', columns ?? []) && isRestForm('variants', variantColumns ?? []);
}

/** Under its own name and unconditionally. */
const isPlain = ({ alias, directives }: FieldNode): boolean => alias === undefined && !directives?.length;

/** What the selections show of a row of the table, when they are columns alone, each under a name of its own. */
function toColumns(
  schema: GraphQLSchema,
  table: ShopTableName,
  selections: readonly SelectionNode[],
): Projection | undefined {
  const { typename, columns } = shopTables[table];
  const row = schema.getType(typename);
  if (!isObjectType(row)) return undefined;
  const projection = selections.map((selection) => toColumn(selection, row.getFields(), columns));
  const isDistinct = new Set(projection.map((column) => column?.name)).size === projection.length;
  return isDistinct && isComplete(projection) ? projection : undefined;
}

function toColumn(
  selection: SelectionNode,
  fields: Readonly<Record<string, GraphQLField<unknown, unknown>>>,
  columns: Readonly<Record<string, string>>,
) {
  if (selection.kind !== Kind.FIELD || (selection.directives?.length ?? 0) > 0) return undefined;
  const member = selection.name.value;
  const name = selection.alias?.value ?? member;
  if (name.length > maximumNameLength) return undefined;
  if (member === '__typename') return { name, member };
  const field = Object.hasOwn(columns, member) ? fields[member] : undefined;
  if (field === undefined || field.resolve !== undefined) return undefined;
  return isLeafType(getNamedType(field.type)) || isWhole(selection, field.type) ? { name, member } : undefined;
}

/** Whether a field that is no leaf is selected with everything it has: only then can a stored form hold it as it is shown. */
function isWhole({ selectionSet }: FieldNode, type: GraphQLOutputType): boolean {
  const object = getNamedType(type);
  if (!isObjectType(object) || !selectionSet) return false;
  const names = selectionSet.selections.map((selection) =>
    selection.kind === Kind.FIELD && isPlain(selection) ? selection.name.value : undefined,
  );
  return names.join() === Object.keys(object.getFields()).join();
}

/** A field that is finished in its place, under its own name in the answer. */
function askFinished({ selectionSet: _, ...field }: FieldNode): FieldNode {
  const name = finishedFields[field.name.value as keyof typeof finishedFields];
  return { ...field, alias: field.alias ?? field.name, name: { kind: Kind.NAME, value: name } };
}

/** The same field, told what its nodes show, and those finished. */
function askFinishedNodes(field: FieldNode, variable: string): FieldNode {
  const argument = {
    kind: Kind.ARGUMENT,
    name: { kind: Kind.NAME, value: projectionArgument },
    value: { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: variable } },
  } as const;
  const selections = (field.selectionSet?.selections ?? []).map((selection) =>
    selection.kind === Kind.FIELD && selection.name.value === nodesField ? askFinished(selection) : selection,
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
