import type { TypedObject } from '../rows/shop-tables';
import { factsOf, objectTypes, withTypeName } from '../rows/shop-tables';
import type { Catalog } from '../catalog';
import type { Resolvers } from '../schema-types';

/** The types that `node` finds, each with the function that loads one by its id (D27). */
const loadersByType = {
  Shop: (id: string, { principal, readShop }: Catalog) =>
    Promise.resolve(id.toLowerCase() === principal.shop.id ? readShop() : null),
  Product: (id: string, catalog: Catalog) => catalog.products.load(id),
  Variant: (id: string, catalog: Catalog) => catalog.variants.load(id),
  Collection: (id: string, catalog: Catalog) => catalog.collections.load(id),
  Order: (id: string, catalog: Catalog) => catalog.orders.load(id),
} satisfies Record<TypedObject['__typename'], unknown>;

/** An object of the shop by its type and id, or null. */
export async function loadByType(
  type: TypedObject['__typename'],
  id: string,
  catalog: Catalog,
): Promise<TypedObject | null> {
  const row = await loadersByType[type](id, catalog);
  return row && withTypeName(type, row);
}

/**
 * An object of the shop of any type, or null. Types that the caller may not read are not looked up: neither the result
 * nor the work depends on whether the object exists (D27). The shop needs no lookup, and `@requiresScopes`
 * on its type protects it. Concurrent loads of many ids share their statements.
 */
async function loadNode(id: string, catalog: Catalog): Promise<TypedObject | null> {
  const { shop, scopes } = catalog.principal;
  if (id.toLowerCase() === shop.id) return loadByType('Shop', id, catalog);
  const types = objectTypes.map((type) => factsOf[type]).filter(({ scope }) => scopes.includes(scope));
  const found = await Promise.all(types.map(({ typename }) => loadByType(typename, id, catalog)));
  return found.find((object) => object !== null) ?? null;
}

export const nodeResolvers: Resolvers = {
  Query: {
    node: (_, { id }, catalog) => loadNode(id, catalog),
    nodes: (_, { ids }, catalog) => Promise.all(ids.map((id) => loadNode(id, catalog))),
  },
  Node: {
    __resolveType: ({ __typename }) => __typename,
  },
};
