import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import { getNamedType, isLeafType } from 'graphql';
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import type { Catalog } from '../catalog/catalog';

type Resolver = GraphQLFieldResolver<unknown, Catalog | undefined>;

/**
 * The schema, to run operations on whose objects are resolved in turns of the event loop (docs/decisions.md 67): what a statement
 * brought, a page or the objects of a loader, waits for its turn before anything below it is resolved.
 */
export const inTurns = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (config) =>
      config.resolve === undefined || isLeafType(getNamedType(config.type))
        ? config
        : { ...config, resolve: resolveInTurns(config.resolve as Resolver) },
  });

const resolveInTurns =
  (resolve: Resolver): Resolver =>
  (source, given, catalog, info) => {
    const found: unknown = resolve(source, given, catalog, info);
    if (catalog === undefined || !(found instanceof Promise)) return found;
    return found.then((objects: unknown) => {
      const turn = catalog.turns.take(countObjects(objects));
      return turn === undefined ? objects : turn.then(() => objects);
    });
  };

/** Of a list or a page of one; anything else is one object. */
function countObjects(found: unknown): number {
  if (Array.isArray(found)) return found.length;
  const nodes = (found as { nodes?: unknown } | null)?.nodes;
  return Array.isArray(nodes) ? nodes.length : 1;
}
