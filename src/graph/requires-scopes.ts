import type { GraphQLField, GraphQLSchema } from 'graphql';
import { defaultFieldResolver, getNamedType, isAbstractType } from 'graphql';
import { getDirective, MapperKind, mapSchema } from '@graphql-tools/utils';
import type { Principal } from '../auth/principal';
import { describeMissingScopes } from '../auth/scopes';
import { ApiError } from '../errors/api-error';

/** Sets of scopes, one of which must be held in full: the outer list is OR, the inner AND. */
export type ScopeRequirement = readonly (readonly string[])[];

/** The context of this schema's resolvers. */
interface ScopedContext {
  readonly principal: Principal;
}

/** @throws ApiError FORBIDDEN that reports what is required and what the credential carries. */
export function checkScopes(required: ScopeRequirement, carried: readonly string[]): void {
  if (required.some((set) => set.every((scope) => carried.includes(scope)))) return;
  throw new ApiError('FORBIDDEN', describeMissingScopes(required, carried));
}

/** The scopes required by `@requiresScopes` on this element. */
function requirementOf(schema: GraphQLSchema, node: Parameters<typeof getDirective>[1]): ScopeRequirement | undefined {
  const directive = getDirective(schema, node, 'requiresScopes')?.[0] as { scopes: ScopeRequirement } | undefined;
  return directive?.scopes;
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
            guardObjects(requirements, await resolve(source, given, context, info), context.principal.scopes),
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
 * Behind an interface the type is known only once the object is loaded; in a list each object is allowed or refused
 * separately.
 */
function guardObjects(requirements: TypeRequirements, found: unknown, carried: readonly string[]): unknown {
  if (Array.isArray(found)) return found.map((object) => refusalOr(() => guardObjects(requirements, object, carried)));
  const name = (found as { __typename?: string } | null)?.__typename;
  const requirement = name === undefined ? undefined : requirements.get(name);
  if (requirement !== undefined) checkScopes(requirement, carried);
  return found;
}

function refusalOr(guarded: () => unknown): unknown {
  try {
    return guarded();
  } catch (refusal) {
    return refusal;
  }
}
