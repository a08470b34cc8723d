import type { ConstDirectiveNode, ConstValueNode, DocumentNode, TypeNode } from 'graphql';
import { isTypeDefinitionNode, Kind } from 'graphql';
import { joinArgument } from '../supergraph/supergraph-graphs';

/** Sets of scopes of which the caller must have one completely: outer list OR, inner lists AND. */
export type ScopeAlternatives = readonly (readonly string[])[];

/** What a caller needs to see a field. */
export interface Requirement {
  readonly isAuthenticated: boolean;
  /** undefined requires nothing, an empty list can never be satisfied. */
  readonly scopes: ScopeAlternatives | undefined;
}

/** Requirements of a supergraph by `Type.field`. Fields without requirements are not in it. */
export type ScopeRequirements = ReadonlyMap<string, Requirement>;

/** The caller. */
export interface Caller {
  readonly isAuthenticated: boolean;
  readonly scopes: ReadonlySet<string>;
}

export function satisfies(caller: Caller, { isAuthenticated, scopes }: Requirement): boolean {
  if (isAuthenticated && !caller.isAuthenticated) return false;
  return scopes === undefined || scopes.some((all) => all.every((scope) => caller.scopes.has(scope)));
}

/**
 * Reads `@requiresScopes` and `@authenticated` from a supergraph. A field combines its own requirements with those of
 * its type and of the type of its value. `@policy` cannot be checked here, so no caller passes it: a rule that cannot
 * be checked must not open a field.
 */
export function readScopeRequirements(supergraph: DocumentNode): ScopeRequirements {
  const byType = new Map<string, Requirement>();
  for (const definition of supergraph.definitions) {
    if (!isTypeDefinitionNode(definition)) continue;
    byType.set(definition.name.value, ownRequirement(definition.directives ?? []));
  }
  const requirements = new Map<string, Requirement>();
  for (const definition of supergraph.definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
    for (const field of definition.fields ?? []) {
      const all = [
        ownRequirement(field.directives ?? []),
        byType.get(namedType(field.type)),
        byType.get(definition.name.value),
      ].reduce(both, noRequirement);
      if (all?.isAuthenticated || all?.scopes !== undefined) {
        requirements.set(`${definition.name.value}.${field.name.value}`, all);
      }
    }
  }
  return requirements;
}

const noRequirement: Requirement = { isAuthenticated: false, scopes: undefined };

function both(left: Requirement | undefined, right: Requirement | undefined): Requirement | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return {
    isAuthenticated: left.isAuthenticated || right.isAuthenticated,
    scopes: bothScopes(left.scopes, right.scopes),
  };
}

function bothScopes(left: Requirement['scopes'], right: Requirement['scopes']): Requirement['scopes'] {
  return left === undefined || right === undefined ? (left ?? right) : everyCombination(left, right);
}

/** (a OR b) AND (c OR d) = ac OR ad OR bc OR bd */
export const everyCombination = (left: ScopeAlternatives, right: ScopeAlternatives): ScopeAlternatives =>
  left.flatMap((some) => right.map((others) => [...new Set([...some, ...others])].sort()));

function ownRequirement(directives: readonly ConstDirectiveNode[]): Requirement {
  return directives.reduce<Requirement>((requirement, directive) => {
    const name = directive.name.value;
    if (name === 'authenticated') return { ...requirement, isAuthenticated: true };
    if (name === 'policy') return { ...requirement, scopes: [] };
    if (name !== 'requiresScopes') return requirement;
    const alternatives = listOf(joinArgument(directive, 'scopes')).map((all) => listOf(all).flatMap(textOf));
    return { ...requirement, scopes: bothScopes(requirement.scopes, alternatives) };
  }, noRequirement);
}

/** A single value stands for a list of it (GraphQL 3.11). */
function listOf(value: ConstValueNode | undefined): readonly ConstValueNode[] {
  if (value === undefined) return [];
  return value.kind === Kind.LIST ? value.values : [value];
}

const textOf = (value: ConstValueNode): readonly string[] => (value.kind === Kind.STRING ? [value.value] : []);

function namedType(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);
}
