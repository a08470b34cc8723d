import type { GraphQLFieldResolver, GraphQLOutputType, GraphQLSchema } from 'graphql';
import { defaultFieldResolver, getNamedType, GraphQLObjectType, GraphQLScalarType } from 'graphql';
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import type { RawRow } from '../rows/projection';
import type { ShopTableName } from '../rows/shop-tables';
import { shopTables } from '../rows/shop-tables';
import { RawJson, separateEntries } from './raw-json';

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
 * The table whose rows a connection lists; undefined for any other type, and for the variants of a product: one statement reads those of many.
 * @param parent The name of the type that the connection is a field of.
 */
export function tableOfConnection(type: GraphQLOutputType, parent?: string): ShopTableName | undefined {
  if (parent === shopTables.products.typename) return undefined;
  const { name } = getNamedType(type);
  return Object.hasOwn(tables, name) ? tables[name] : undefined;
}

/**
 * The schema that executes rewritten documents. Clients cannot use it: their documents are validated against the schema without these
 * fields. `rawNodes` uses the resolver of `nodes`, `rawProduct` that of `product`, so the same guards apply.
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
