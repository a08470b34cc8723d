import type { GraphQLInterfaceType, GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import { GraphQLError, isInterfaceType, isObjectType } from 'graphql';

/** What another subgraph knows of an entity: its type's name, its key, and the fields that an `@requires` asks for. */
export type Representation = Readonly<Record<string, unknown>> & { readonly __typename: string };

/** Turns one representation into its entity; null or undefined when there is none. */
export type ReferenceResolver<Context> = (
  representation: Representation,
  context: Context,
  info: GraphQLResolveInfo,
) => unknown;

/** Turns all representations of a type at once, in their order. An Error in the answer fails only its own entity. */
export interface BatchReferenceResolver<Context> {
  readonly many: (
    representations: readonly Representation[],
    context: Context,
    info: GraphQLResolveInfo,
  ) => readonly unknown[] | Promise<readonly unknown[]>;
}

/** By type name. A type without one is taken as it is represented. */
export type References<Context> = Readonly<
  Record<string, ReferenceResolver<Context> | BatchReferenceResolver<Context>>
>;

/**
 * Which type an object was asked for as. Kept beside the objects, because they are the resolvers' own and may be shared,
 * frozen or instances of classes.
 */
const typeNames = new WeakMap<object, string>();

/** `_Entity.__resolveType` */
export const entityTypeName = (entity: unknown): string | undefined =>
  isRecord(entity) ? (typeNames.get(entity) ?? ownTypeName(entity)) : undefined;

/**
 * `_entities`: answers in the order of the representations. Grouped by type, so that a type's resolver runs once for all.
 * An element that is an Error becomes null with an error at its own path; the others are not touched by it.
 */
export async function resolveEntities<Context>(
  representations: readonly unknown[],
  references: References<Context>,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<readonly unknown[]> {
  const entities: unknown[] = representations.map(() => null);
  const indexesByType = new Map<string, number[]>();
  representations.forEach((representation, index) => {
    const name = isRecord(representation) ? ownTypeName(representation) : undefined;
    const type = name === undefined ? undefined : info.schema.getType(name);
    if (name === undefined || !(isObjectType(type) || isInterfaceType(type))) {
      entities[index] = badRepresentation(name);
      return;
    }
    indexesByType.set(name, [...(indexesByType.get(name) ?? []), index]);
  });
  await Promise.all(
    [...indexesByType].map(async ([name, indexes]) => {
      const type = info.schema.getType(name) as GraphQLObjectType | GraphQLInterfaceType;
      const group = indexes.map((index) => representations[index] as Representation);
      const found = await resolveGroup(group, references[name], context, info);
      await Promise.all(
        indexes.map(async (index, position) => {
          entities[index] = await withTypeName(found[position], type, context, info);
        }),
      );
    }),
  );
  return entities;
}

async function resolveGroup<Context>(
  representations: readonly Representation[],
  reference: ReferenceResolver<Context> | BatchReferenceResolver<Context> | undefined,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<readonly unknown[]> {
  if (reference === undefined) return representations;
  if (typeof reference === 'function') {
    return Promise.all(representations.map((representation) => settle(() => reference(representation, context, info))));
  }
  try {
    return await reference.many(representations, context, info);
  } catch (thrown) {
    return representations.map(() => toError(thrown));
  }
}

async function settle(resolve: () => unknown): Promise<unknown> {
  try {
    return await resolve();
  } catch (thrown) {
    return toError(thrown);
  }
}

const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

async function withTypeName<Context>(
  entity: unknown,
  type: GraphQLObjectType | GraphQLInterfaceType,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<unknown> {
  if (!isRecord(entity) || entity instanceof Error) return entity ?? null;
  const name = isObjectType(type)
    ? type.name
    : (ownTypeName(entity) ?? (await type.resolveType?.(entity, context, info, type)));
  if (name === undefined) return new GraphQLError(`Cannot tell which implementation of ${type.name} an entity is.`);
  typeNames.set(entity, name);
  return entity;
}

const badRepresentation = (name: string | undefined): GraphQLError =>
  new GraphQLError(
    name === undefined
      ? 'Expected a representation with a __typename.'
      : `Expected the __typename of an entity, got ${JSON.stringify(name.slice(0, 100))}.`,
    { extensions: { code: 'BAD_USER_INPUT' } },
  );

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const ownTypeName = (value: Readonly<Record<string, unknown>>): string | undefined =>
  typeof value['__typename'] === 'string' ? value['__typename'] : undefined;
