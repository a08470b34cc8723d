import type {
  DocumentNode,
  FieldNode,
  GraphQLField,
  GraphQLOutputType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionNode,
  VariableDefinitionNode,
} from 'graphql';
import { getNamedType, isLeafType, isObjectType, Kind, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { Projection } from '../rows/projection';
import { isComplete, maximumNameLength } from '../rows/projection';
import type { ShopTableName } from '../rows/shop-tables';
import { isRestForm, shopTables } from '../rows/shop-tables';
import {
  nodesField,
  opaque,
  productField,
  projectionArgument,
  rawFields,
  tableOfConnection,
} from './passthrough-schema';

const variantsField = 'variants';

/** A document whose column-only selections PostgreSQL serializes, and the variables that describe them. */
export interface PassthroughDocument {
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, Projection>>;
}

/**
 * Finds the pages whose nodes are column-only selections, and products selected exactly as the REST API shows them, and
 * requests them as raw JSON instead: PostgreSQL writes the objects in the form of the answer, and they are neither
 * parsed nor resolved nor serialized here. A field is a column everywhere, unless it has a resolver.
 * @returns undefined when the document has neither
 */
export function rewriteForPassthrough(schema: GraphQLSchema, document: DocumentNode): PassthroughDocument | undefined {
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  // The variables belong to an operation, and fragments belong to several.
  if (operations.length !== 1) return undefined;
  const variables: Record<string, Projection> = {};
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
        variables[name] = projection;
        return askRawNodes(field, name);
      },
    }),
  );
  if (rewritten === operations[0]) return undefined;
  const names = Object.keys(variables);
  const operation = {
    ...rewritten,
    variableDefinitions: [...(rewritten.variableDefinitions ?? []), ...names.map(toVariableDefinition)],
  };
  return {
    document: { ...document, definitions: document.definitions.map((it) => (it === operations[0] ? operation : it)) },
    variables,
  };
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
function toProjection(schema: GraphQLSchema, types: TypeInfo, { selectionSet }: FieldNode): Projection | undefined {
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
 * Whether the field is a product with its variants exactly as the REST API shows it: PostgreSQL serializes that, too.
 */
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

/** The projection of the selections on a row of the table, when they are only columns, each under a unique name. */
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

/**
 * Whether a non-leaf field is selected with everything it has: only then can a stored form contain it as it is shown.
 */
function isWhole({ selectionSet }: FieldNode, type: GraphQLOutputType): boolean {
  const object = getNamedType(type);
  if (!isObjectType(object) || !selectionSet) return false;
  const names = selectionSet.selections.map((selection) =>
    selection.kind === Kind.FIELD && isPlain(selection) ? selection.name.value : undefined,
  );
  return names.join() === Object.keys(object.getFields()).join();
}

/** Replaces the field by the raw field, under its own name in the answer. */
function askRaw({ selectionSet: _, ...field }: FieldNode): FieldNode {
  const name = rawFields[field.name.value as keyof typeof rawFields];
  return { ...field, alias: field.alias ?? field.name, name: { kind: Kind.NAME, value: name } };
}

/** The same field with the projection of its nodes, and those raw. */
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
