import type { GraphQLSchema } from 'graphql';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { IExecutableSchemaDefinition } from '@graphql-tools/schema';
import type { Catalog } from '../../catalog/catalog';
import { loadByType } from '../../catalog/node/node-resolvers';
import type { TypedObject } from '../../catalog/rows/shop-tables';
import { resolvers } from '../../catalog/resolvers';
import { ApiError } from '../../errors/api-error';
import { checkTypeScopes, enforceScopes } from '../../graph/requires-scopes';
import { scalars } from '../../graph/scalars';
import { readTypeDefinitions } from '../../graph/schema';
import { toPublishedSdl } from './published-sdl';

export interface CatalogSubgraph {
  /** The schema without federation, plus `_service` and `_entities`. */
  readonly schema: GraphQLSchema;
  /** The result of `_service { sdl }`. */
  readonly sdl: string;
}

type EntityName = TypedObject['__typename'];
const entityNames: readonly string[] = [
  'Shop',
  'Product',
  'Variant',
  'Collection',
  'Order',
] satisfies readonly EntityName[];

/** https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec */
const subgraphFields = `
  type _Service { sdl: String! }
  scalar _Any
  union _Entity = ${entityNames.join(' | ')}
  extend type Query { _service: _Service! _entities(representations: [_Any!]!): [_Entity]! }`;

/** The catalog as a subgraph: the same resolvers behind the same guard as without federation. */
export function createCatalogSubgraph(): CatalogSubgraph {
  const typeDefs = readTypeDefinitions();
  const sdl = toPublishedSdl(typeDefs);
  const subgraphResolvers: IExecutableSchemaDefinition<Catalog>['resolvers'] = {
    Query: {
      _service: () => ({ sdl }),
      _entities: (_, { representations }: { readonly representations: readonly unknown[] }, catalog, { schema }) =>
        Promise.all(
          representations.map((each) => findEntity(each, catalog, schema).catch((thrown: unknown) => thrown)),
        ),
    },
    _Entity: { __resolveType: ({ __typename }: TypedObject) => __typename },
  };
  const schema = makeExecutableSchema<Catalog>({
    typeDefs: [typeDefs, subgraphFields],
    resolvers: [scalars, ...resolvers, subgraphResolvers] as NonNullable<
      IExecutableSchemaDefinition<Catalog>['resolvers']
    >,
    assumeValidSDL: true,
  });
  return { schema: enforceScopes(schema), sdl };
}

/**
 * Finds an object of the caller's shop by its id alone: all other claims of a representation are ignored, and an id of
 * another shop is not found (D11).
 * @throws ApiError for this entity only
 */
async function findEntity(representation: unknown, catalog: Catalog, schema: GraphQLSchema): Promise<unknown> {
  const { __typename: type, id } = Object(representation) as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string' || !entityNames.includes(type)) {
    const got = typeof type === 'string' ? JSON.stringify(type.slice(0, 100)) : 'none';
    throw new ApiError('BAD_USER_INPUT', `Expected __typename to be one of ${entityNames.join(', ')}, got ${got}.`);
  }
  checkTypeScopes(schema, type, catalog.principal.scopes);
  return typeof id === 'string' ? loadByType(type as EntityName, id, catalog) : null;
}
