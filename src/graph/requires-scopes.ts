import type { GraphQLField, GraphQLSchema } from 'graphql';
import { defaultFieldResolver, getNamedType, isAbstractType } from 'graphql';
import { getDirective, MapperKind, mapSchema } from '@graphql-tools/utils';
import type { Principal } from '../auth/principal';
import { createScopeError } from '../auth/principal';

/** Sets of scopes, one of which must be held in full: the outer list is OR, the inner AND. */
export type ScopeRequirement = readonly (readonly string[])[];

/** The context of this schema's resolvers. */
interface ScopedContext {
  readonly principal: Principal;
}

const isMet = (required: ScopeRequirement, carried: readonly string[]): boolean =>
  required.some((set) => set.every((scope) => carried.includes(scope)));

/** @throws ApiError FORBIDDEN that reports what is required and what the credential carries. */
export function checkScopes(required: ScopeRequirement, carried: readonly string[]): void {
  if (isMet(required, carried)) return;
  throw createScopeError(required, carried);
}

/** The scopes required by `@requiresScopes` on this element. */
function requirementOf(schema: GraphQLSchema, node: Parameters<typeof getDirective>[1]): ScopeRequirement | undefined {
  const directive = getDirective(schema, node, 'requiresScopes')?.[0] as { scopes: ScopeRequirement } | undefined;
  return directive?.scopes;
}

/** @throws ApiError FORBIDDEN if the caller may not read objects of the type, whether or not there is one */
export function checkTypeScopes(schema: GraphQLSchema, type: string, carried: readonly string[]): void {
  const required = requirementOf(schema, schema.getType(type) ?? {});
  if (required !== undefined) checkScopes(required, carried);
}

/** All requirements of a field: those of the field itself and those of the type that it returns. */
export function requirementsOfField(schema: GraphQLSchema, field: GraphQLField<unknown, unknown>): ScopeRequirement[] {
  const atField = requirementOf(schema, field);
  const atType = requirementOf(schema, getNamedType(field.type));
  return [atField, atType].filter((requirement) => requirement !== undefined);
}

/**
 * Adds a guard before every resolver that leads to something protected. This is the one place where scopes are
 * enforced, whatever surface or document reaches a field (D11, D26).
 */
export function enforceScopes(schema: GraphQLSchema): GraphQLSchema {
  const requirements = new Map(
    Object.values(schema.getTypeMap()).map((type) => [type.name, requirementOf(schema, type)]),
  );
  return mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (config) => {
      const type = getNamedType(config.type);
      const required = [requirementOf(schema, config), requirementOf(schema, type)].filter(
        (requirement) => requirement !== undefined,
      );
      const resolve = config.resolve ?? defaultFieldResolver;
      if (isAbstractType(type)) {
        return {
          ...config,
          resolve: async (source: unknown, given, context: ScopedContext, info) =>
            omitUnreadable(requirements, await resolve(source, given, context, info), context.principal.scopes),
        };
      }
      if (required.length === 0) return config;
      return {
        ...config,
        resolve: (source: unknown, given, context: ScopedContext, info) => {
          for (const requirement of required) checkScopes(requirement, context.principal.scopes);
          return resolve(source, given, context, info);
        },
      };
    },
  });
}

/** By type name. */
type TypeRequirements = ReadonlyMap<string, ScopeRequirement | undefined>;

/**
 * Behind an interface the type is known only once the object is loaded, so a refusal would reveal that it exists: an
 * object that the caller may not read is null, like one that does not exist (D27).
 */
function omitUnreadable(requirements: TypeRequirements, found: unknown, carried: readonly string[]): unknown {
  if (Array.isArray(found)) return found.map((object: unknown) => omitUnreadable(requirements, object, carried));
  const name = (found as { __typename?: string } | null)?.__typename;
  const requirement = name === undefined ? undefined : requirements.get(name);
  return requirement === undefined || isMet(requirement, carried) ? found : null;
}
