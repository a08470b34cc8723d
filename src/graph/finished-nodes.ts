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
import {
  defaultFieldResolver,
  getNamedType,
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
import { shopTables } from '../catalog/shop-tables';

/** Types whose connections are lists of rows. */
const tableOf: Readonly<Record<string, keyof typeof shopTables>> = {
  ProductConnection: 'products',
  CollectionConnection: 'collections',
  OrderConnection: 'orders',
};

const nodesField = 'nodes';
const finishedField = 'finishedNodes';
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
 * `finishedNodes` asks the resolver of `nodes`, and so passes the same guard.
 */
export const withFinishedNodes = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (config) =>
      isRowConnection(config.type)
        ? { ...config, args: { ...config.args, [projectionArgument]: { type: opaque } } }
        : config,
    [MapperKind.OBJECT_TYPE]: (type) => {
      if (!isRowConnection(type)) return type;
      const config = type.toConfig();
      const resolveNodes = config.fields[nodesField]?.resolve ?? defaultFieldResolver;
      config.fields[finishedField] = {
        type: opaque,
        resolve: (page, given, context, info) => {
          const nodes = resolveNodes(page, given, context, {
            ...info,
            fieldName: nodesField,
          }) as readonly FinishedRow[];
          return new FinishedJson(`[${nodes.map(({ json }) => json).join(',')}]`);
        },
      };
      return new (type.constructor as new (given: typeof config) => typeof type)(config);
    },
  });

/**
 * Finds the pages of which a document wants nothing but columns, and asks for them as finished text instead: the database
 * writes the objects as the answer shows them, and they are neither parsed nor resolved nor written here. What stands for
 * a field is the same everywhere: a column, unless it has a resolver.
 * @returns undefined when there is no such page.
 */
export function finishNodes(schema: GraphQLSchema, document: DocumentNode): FinishedDocument | undefined {
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  // The variables belong to an operation, and fragments belong to several.
  if (operations.length !== 1) return undefined;
  const variables: Record<string, Projection> = {};
  const types = new TypeInfo(schema);
  const finished = visit(
    operations[0] as OperationDefinitionNode,
    visitWithTypeInfo(types, {
      Field: (field) => {
        const projection = toProjection(schema, types.getType(), field);
        if (projection === undefined) return undefined;
        const name = `__projection${Object.keys(variables).length}`;
        variables[name] = projection;
        return askFinished(field, name);
      },
    }),
  );
  const names = Object.keys(variables);
  if (names.length === 0) return undefined;
  const operation = {
    ...finished,
    variableDefinitions: [...(finished.variableDefinitions ?? []), ...names.map(toVariableDefinition)],
  };
  return {
    document: { ...document, definitions: document.definitions.map((it) => (it === operations[0] ? operation : it)) },
    variables,
  };
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

  const { typename, columns } = shopTables[tableOf[getNamedType(type).name] as keyof typeof shopTables];
  const row = schema.getType(typename);
  if (!isObjectType(row)) return undefined;
  const projection = nodes.selectionSet.selections.map((selection) => toColumn(selection, row.getFields(), columns));
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
  if (field === undefined || field.resolve !== undefined || !isLeafType(getNamedType(field.type))) return undefined;
  return { name, member };
}

/** The same field, told what its nodes show, and `nodes` replaced under its own name in the answer. */
function askFinished(field: FieldNode, variable: string): FieldNode {
  const argument = {
    kind: Kind.ARGUMENT,
    name: { kind: Kind.NAME, value: projectionArgument },
    value: { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: variable } },
  } as const;
  const selections = (field.selectionSet?.selections ?? []).map((selection): SelectionNode => {
    if (selection.kind !== Kind.FIELD || selection.name.value !== nodesField) return selection;
    const { selectionSet: _, ...nodes } = selection;
    return { ...nodes, alias: nodes.alias ?? nodes.name, name: { kind: Kind.NAME, value: finishedField } };
  });
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
