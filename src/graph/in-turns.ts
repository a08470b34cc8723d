import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import { defaultFieldResolver, getNamedType, getNullableType, isLeafType, isListType } from 'graphql';
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import type { Catalog } from '../catalog/catalog';
import type { WorkTurns } from '../common/event-loop-turns';

type Resolver = GraphQLFieldResolver<unknown, Catalog | undefined>;

/**
 * The schema for compiled operations whose objects are resolved in turns of the event loop (docs/decisions.md 67): the
 * result of a statement, a page or the objects of a loader, waits for its turn before anything below it is resolved.
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

/** The length of a list or of a page's list; anything else counts as one object. */
function countObjects(found: unknown): number {
  if (Array.isArray(found)) return found.length;
  const nodes = (found as { nodes?: unknown } | null)?.nodes;
  return Array.isArray(nodes) ? nodes.length : 1;
}

/**
 * The same for interpreted operations, which cost ten times as much for each object: long lists are divided, and each
 * part waits for its turn. graphql-js accepts promises within lists; graphql-jit does not.
 */
export const inShortTurns = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (config) =>
      isListType(getNullableType(config.type)) && !isLeafType(getNamedType(config.type))
        ? { ...config, resolve: resolveInParts((config.resolve as Resolver | undefined) ?? defaultFieldResolver) }
        : config,
  });

const objectsPerPart = 50;

const resolveInParts =
  (resolve: Resolver): Resolver =>
  (source, given, catalog, info) => {
    const found: unknown = resolve(source, given, catalog, info);
    if (catalog === undefined) return found;
    if (found instanceof Promise) return found.then((objects: unknown) => toParts(objects, catalog.turns));
    return toParts(found, catalog.turns);
  };

/** A list whose parts are available when they may be processed. */
function toParts(found: unknown, turns: WorkTurns): unknown {
  if (!Array.isArray(found)) return found;
  const objects = found as readonly unknown[];
  const parts: unknown[] = [];
  for (let from = 0; from < objects.length; from += objectsPerPart) {
    const part = objects.slice(from, from + objectsPerPart);
    const turn = turns.take(part.length);
    parts.push(...(turn === undefined ? part : part.map((object) => turn.then(() => object))));
  }
  return parts;
}
