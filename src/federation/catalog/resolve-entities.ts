import type { GraphQLInterfaceType, GraphQLObjectType, GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { isInterfaceType, isObjectType, isUnionType } from 'graphql';
import { ApiError } from '../../errors/api-error';

/**
 * The data of an entity that another subgraph has: the name of its type, its key, and the fields that an `@requires`
 * selects.
 */
export type Representation = Readonly<Record<string, unknown>> & { readonly __typename: string };

/** Resolves one representation to its entity; null or undefined when there is none. */
export type ReferenceResolver<Context> = (
  representation: Representation,
  context: Context,
  info: GraphQLResolveInfo,
) => unknown;

/**
 * Resolves all representations of a type together, in their order. An Error in the result fails only its own entity.
 */
export interface BatchReferenceResolver<Context> {
  readonly many: (
    representations: readonly Representation[],
    context: Context,
    info: GraphQLResolveInfo,
  ) => readonly unknown[] | Promise<readonly unknown[]>;
}

/** By type name. For a type without a resolver, the representation itself is the entity. */
export type References<Context> = Readonly<
  Record<string, ReferenceResolver<Context> | BatchReferenceResolver<Context>>
>;

/**
 * The type as which an object was requested. Stored separately, because the objects belong to the resolvers and may be
 * shared, frozen or instances of classes.
 */
const typeNames = new WeakMap<object, string>();

/** `_Entity.__resolveType` */
export const entityTypeName = (entity: unknown): string | undefined =>
  isRecord(entity) ? (typeNames.get(entity) ?? ownTypeName(entity)) : undefined;

/**
 * Resolves `_entities`, in the order of the representations. They are grouped by type, so that a type's resolver runs
 * once for all. An element that is an Error becomes null with an error at its own path and does not affect the others.
 */
export async function resolveEntities<Context>(
  representations: readonly unknown[],
  references: References<Context>,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<readonly unknown[]> {
  const entities: unknown[] = representations.map(() => null);
  const indexesByType = new Map<EntityType, number[]>();
  const types = await Promise.all(
    representations.map((representation) => settle(() => typeOf(representation, references, context, info))),
  );
  types.forEach((type, index) => {
    if (isEntityType(type)) indexesByType.set(type, [...(indexesByType.get(type) ?? []), index]);
    else entities[index] = type;
  });
  await Promise.all(
    [...indexesByType].map(async ([type, indexes]) => {
      const group = indexes.map((index) => representations[index] as Representation);
      const found = await resolveGroup(group, references[type.name], context, info);
      await Promise.all(
        indexes.map(async (index, position) => {
          entities[index] = await settle(() => withTypeName(found[position], type, context, info));
        }),
      );
    }),
  );
  return entities;
}

type EntityType = GraphQLObjectType | GraphQLInterfaceType;
const isEntityType = (type: unknown): type is EntityType => isObjectType(type) || isInterfaceType(type);

/** Whether `_entities` may return objects of the type: other types of the schema have no key. */
function isAnswered(type: EntityType, schema: GraphQLSchema): boolean {
  const union = schema.getType('_Entity');
  if (!isUnionType(union)) return false;
  return isInterfaceType(type)
    ? schema.getPossibleTypes(type).some((each) => schema.isSubType(union, each))
    : schema.isSubType(union, type);
}

/** The type to resolve a representation as: for an interface without a resolver, the implementation. */
async function typeOf<Context>(
  representation: unknown,
  references: References<Context>,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<EntityType> {
  const name = isRecord(representation) ? ownTypeName(representation) : undefined;
  const type = name === undefined ? undefined : info.schema.getType(name);
  if (!isEntityType(type) || !isRecord(representation) || !isAnswered(type, info.schema)) throw badRepresentation(name);
  if (isObjectType(type) || references[type.name] !== undefined) return type;
  const implementation = await implementationName(representation, type, context, info);
  const implementing = implementation === undefined ? undefined : info.schema.getType(implementation);
  return isObjectType(implementing) ? implementing : type;
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
  type: EntityType,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<unknown> {
  if (!isRecord(entity) || entity instanceof Error) return entity ?? null;
  const name = isObjectType(type) ? type.name : await implementationName(entity, type, context, info);
  if (name === undefined || !isObjectType(info.schema.getType(name))) {
    return new ApiError('BAD_USER_INPUT', `Cannot tell which implementation of ${type.name} an entity is.`);
  }
  typeNames.set(entity, name);
  return entity;
}

/**
 * An entity that was requested as an interface may report its own type; an unchanged copy of its representation does
 * not.
 */
async function implementationName<Context>(
  entity: Readonly<Record<string, unknown>>,
  type: GraphQLInterfaceType,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<string | undefined> {
  const own = ownTypeName(entity);
  return own !== undefined && own !== type.name ? own : type.resolveType?.(entity, context, info, type);
}

const badRepresentation = (name: string | undefined): ApiError =>
  new ApiError(
    'BAD_USER_INPUT',
    name === undefined
      ? 'Expected a representation with a __typename.'
      : `Expected the __typename of an entity, got ${JSON.stringify(name.slice(0, 100))}.`,
  );

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const ownTypeName = (value: Readonly<Record<string, unknown>>): string | undefined =>
  typeof value['__typename'] === 'string' ? value['__typename'] : undefined;
