import type { GraphQLSchema } from 'graphql';
import type { Catalog } from '../../catalog/catalog';
import { loadByType } from '../../catalog/node/node-resolvers';
import type { TypedObject } from '../../catalog/node/typed-object';
import { resolvers } from '../../catalog/resolvers';
import { checkTypeScopes, enforceScopes } from '../../graph/requires-scopes';
import { scalars } from '../../graph/scalars/scalars';
import { readTypeDefinitions } from '../../graph/schema';
import type { Subgraph } from './build-subgraph';
import { buildSubgraph } from './build-subgraph';
import type { ReferenceResolver } from './resolve-entities';
import { toSubgraphDefinitions } from './subgraph-definitions';

/**
 * The catalog as a subgraph: the same resolvers behind the same guard as without federation, and `_entities`, which
 * uses the loaders of the caller's shop: an id of another shop is not found (D11).
 */
export function createCatalogSubgraph(): Subgraph {
  const { executable, published } = toSubgraphDefinitions(readTypeDefinitions());
  const { schema, sdl } = buildSubgraph<Catalog>({
    typeDefs: executable,
    publishedSdl: published,
    resolvers: [scalars, ...resolvers] as Parameters<typeof buildSubgraph<Catalog>>[0]['resolvers'] & object,
    references: {
      Shop: reference('Shop'),
      Product: reference('Product'),
      Variant: reference('Variant'),
      Collection: reference('Collection'),
      Order: reference('Order'),
    },
  });
  return { schema: enforceScopes(schema) satisfies GraphQLSchema, sdl };
}

/** By id alone: all other claims of a representation are ignored. */
const reference =
  (type: TypedObject['__typename']): ReferenceResolver<Catalog> =>
  ({ id }, catalog, { schema }) => {
    checkTypeScopes(schema, type, catalog.principal.scopes);
    return typeof id === 'string' ? loadByType(type, id, catalog) : null;
  };
