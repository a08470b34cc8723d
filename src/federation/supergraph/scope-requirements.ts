import type {
  ConstDirectiveNode,
  ConstValueNode,
  DocumentNode,
  ObjectTypeDefinitionNode,
  TypeDefinitionNode,
} from 'graphql';
import { isTypeDefinitionNode, Kind } from 'graphql';
import type { FieldsOwner } from '../sdl-nodes';
import { argumentOf, hasFields, namedType, textOf, visitFieldSet } from '../sdl-nodes';
import { getOrMake } from '../../common/once';

/** Sets of scopes of which the caller must have one completely: outer list OR, inner lists AND. */
type ScopeAlternatives = readonly (readonly string[])[];

/** Requirements for a caller to see a field. */
export interface Requirement {
  readonly isAuthenticated: boolean;
  /** undefined requires nothing, an empty list can never be satisfied. */
  readonly scopes: ScopeAlternatives | undefined;
  /**
   * As scopes. Nothing here evaluates policies, so no caller satisfies them: a rule that cannot be checked must not
   * open a field.
   */
  readonly policies: ScopeAlternatives | undefined;
}

/** Requirements of a supergraph by `Type.field`. Fields without requirements are not in it. */
export type ScopeRequirements = ReadonlyMap<string, Requirement>;

/** The caller. */
export interface Caller {
  readonly isAuthenticated: boolean;
  readonly scopes: ReadonlySet<string>;
}

export const anonymous: Caller = { isAuthenticated: false, scopes: new Set() };

export function satisfies(caller: Caller, { isAuthenticated, scopes, policies }: Requirement): boolean {
  if (policies !== undefined || (isAuthenticated && !caller.isAuthenticated)) return false;
  return scopes === undefined || scopes.some((all) => all.every((scope) => caller.scopes.has(scope)));
}

/** A field that reveals data that it requires to callers who may not see that data. */
interface MissingRequirement {
  /** `Type.field` */
  readonly field: string;
  /** The field of its `@requires`, `Type.field`. */
  readonly required: string;
}

interface ReadRequirements {
  readonly requirements: ScopeRequirements;
  readonly missing: readonly MissingRequirement[];
}

/**
 * Reads `@requiresScopes`, `@authenticated` and `@policy` from a supergraph whose directives have their own names
 * (canonicalSupergraph). A field combines the requirements
 * - of its own, of its type and of the type of its value;
 * - of the fields that its `@requires` sends to a subgraph, which may return anything that it derives from them;
 * - of the same field of an interface of its type, unless that only combines those of the implementations.
 * @throws Error for a directive whose argument is not a list of lists of strings.
 */
export const readScopeRequirements = (supergraph: DocumentNode): ScopeRequirements =>
  readRequirements(supergraph).requirements;

/** Like readScopeRequirements, plus the fields whose own requirements do not include those of their `@requires`. */
export function readRequirements(supergraph: DocumentNode): ReadRequirements {
  return new RequirementReader(supergraph).read();
}

class RequirementReader {
  readonly #definitions = new Map<string, TypeDefinitionNode>();
  readonly #ofTypes = new Map<string, Requirement>();
  readonly #ofFields = new Map<string, Requirement>();
  readonly #implementations = new Map<string, ObjectTypeDefinitionNode[]>();

  constructor(supergraph: DocumentNode) {
    for (const definition of supergraph.definitions.filter(isTypeDefinitionNode)) {
      const { name, directives = [] } = definition;
      this.#definitions.set(name.value, definition);
      this.#ofTypes.set(name.value, ownRequirement(directives, name.value));
      if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
      for (const type of definition.interfaces ?? []) {
        getOrMake(this.#implementations, type.name.value, () => []).push(definition);
      }
    }
  }

  read(): ReadRequirements {
    for (const type of this.#composites()) {
      for (const { name, directives = [], type: value } of type.fields ?? []) {
        const path = `${type.name.value}.${name.value}`;
        this.#ofFields.set(
          path,
          both(both(ownRequirement(directives, path), this.#ofType(namedType(value))), this.#ofType(type.name.value)),
        );
      }
    }
    const missing: MissingRequirement[] = [];
    const required = this.#requiredFields();
    // Each step may extend what the other reads. Terminates, because requirements only grow.
    for (let isChanged = true; isChanged;) isChanged = this.#inherit() || this.#addRequired(required, missing);
    const requirements = new Map([...this.#ofFields].filter(([, requirement]) => !isNothing(requirement)));
    return { requirements, missing };
  }

  #composites(): readonly FieldsOwner[] {
    return [...this.#definitions.values()].filter(hasFields);
  }

  #ofType(name: string): Requirement {
    return this.#ofTypes.get(name) ?? noRequirement;
  }

  #ofField(path: string): Requirement {
    return this.#ofFields.get(path) ?? noRequirement;
  }

  /** @returns false when the field already required all of it */
  #add(path: string, requirement: Requirement): boolean {
    const own = this.#ofField(path);
    if (implies(own, requirement)) return false;
    this.#ofFields.set(path, both(own, requirement));
    return true;
  }

  /** The fields with `@requires`, each with the fields that it requires. */
  #requiredFields(): ReadonlyMap<string, ReadonlySet<string>> {
    const required = new Map<string, ReadonlySet<string>>();
    for (const type of this.#composites()) {
      for (const { name, directives = [] } of type.fields ?? []) {
        const fields = directives.flatMap((join) => [...this.#fieldsOf(textOf(join, 'requires'), type.name.value)]);
        if (fields.length > 0) required.set(`${type.name.value}.${name.value}`, new Set(fields));
      }
    }
    return required;
  }

  #addRequired(required: ReadonlyMap<string, ReadonlySet<string>>, missing: MissingRequirement[]): boolean {
    let isChanged = false;
    for (const [field, others] of required) {
      for (const other of others) {
        if (!this.#add(field, this.#ofField(other))) continue;
        missing.push({ field, required: other });
        isChanged = true;
      }
    }
    return isChanged;
  }

  /** The fields in a field set of a type; for an interface, also those of its implementations. */
  #fieldsOf(fieldSet: string | undefined, typeName: string): ReadonlySet<string> {
    const found = new Set<string>();
    visitFieldSet(fieldSet, typeName, this.#definitions, (parent, field) => {
      for (const name of [parent, ...(this.#implementations.get(parent) ?? []).map((type) => type.name.value)]) {
        found.add(`${name}.${field}`);
      }
    });
    return found;
  }

  /**
   * Composers combine at an interface what its implementations require. Anything beyond that comes from the interface
   * itself, or from an `@interfaceObject`, and applies to every implementation.
   */
  #inherit(): boolean {
    let isChanged = false;
    for (const type of this.#composites().filter(({ kind }) => kind === Kind.INTERFACE_TYPE_DEFINITION)) {
      const implementations = this.#implementations.get(type.name.value) ?? [];
      for (const { name } of type.fields ?? []) {
        const required = this.#ofField(`${type.name.value}.${name.value}`);
        if (isNothing(required)) continue;
        const paths = implementations.map((implementation) => `${implementation.name.value}.${name.value}`);
        if (implies(paths.map((path) => this.#ofField(path)).reduce(both, noRequirement), required)) continue;
        for (const path of paths) isChanged = this.#add(path, required) || isChanged;
      }
    }
    return isChanged;
  }
}

const noRequirement: Requirement = { isAuthenticated: false, scopes: undefined, policies: undefined };

const isNothing = ({ isAuthenticated, scopes, policies }: Requirement): boolean =>
  !isAuthenticated && scopes === undefined && policies === undefined;

function both(left: Requirement, right: Requirement): Requirement {
  if (isNothing(left) || left === right) return right;
  if (isNothing(right)) return left;
  return {
    isAuthenticated: left.isAuthenticated || right.isAuthenticated,
    scopes: bothAlternatives(left.scopes, right.scopes),
    policies: bothAlternatives(left.policies, right.policies),
  };
}

/** Whether every caller that satisfies the first requirement satisfies the second one. */
function implies(left: Requirement, right: Requirement): boolean {
  return (
    (left.isAuthenticated || !right.isAuthenticated) &&
    impliesAlternatives(left.scopes, right.scopes) &&
    impliesAlternatives(left.policies, right.policies)
  );
}

function impliesAlternatives(left: Requirement['scopes'], right: Requirement['scopes']): boolean {
  if (right === undefined) return true;
  if (left === undefined) return false;
  return left.every((some) => right.some((all) => all.every((one) => some.includes(one))));
}

function bothAlternatives(left: Requirement['scopes'], right: Requirement['scopes']): Requirement['scopes'] {
  return left === undefined || right === undefined ? (left ?? right) : everyCombination(left, right);
}

/** More than any graph has. Without a bound, a few dozen requirements with a choice each exhaust the memory. */
const maxCombinations = 1000;

/**
 * (a OR b) AND (c OR d) = ac OR ad OR bc OR bd; an alternative that includes another one is left out.
 * @throws Error when there are too many.
 */
export function everyCombination(left: ScopeAlternatives, right: ScopeAlternatives): ScopeAlternatives {
  if (left.length * right.length > maxCombinations) {
    throw new Error(`the scopes or policies of one field combine to more than ${maxCombinations} alternatives`);
  }
  const all = left.flatMap((some) => right.map((others) => [...new Set([...some, ...others])].sort()));
  return all.filter(
    (set, index) =>
      !all.some(
        (other, otherIndex) =>
          otherIndex !== index &&
          other.every((one) => set.includes(one)) &&
          (other.length < set.length || otherIndex < index),
      ),
  );
}

/** @param path for the message */
function ownRequirement(directives: readonly ConstDirectiveNode[], path: string): Requirement {
  return directives.reduce<Requirement>((requirement, directive) => {
    const name = directive.name.value;
    if (name === 'authenticated') return { ...requirement, isAuthenticated: true };
    if (name === 'policy') {
      return both(requirement, { ...noRequirement, policies: alternativesOf(directive, 'policies', path) });
    }
    if (name !== 'requiresScopes') return requirement;
    return both(requirement, { ...noRequirement, scopes: alternativesOf(directive, 'scopes', path) });
  }, noRequirement);
}

/** A single value stands for a list of it (GraphQL 3.11). */
function alternativesOf(directive: ConstDirectiveNode, argument: string, path: string): ScopeAlternatives {
  return listOf(argumentOf(directive, argument)).map((all) =>
    listOf(all).map((value) => {
      if (value.kind === Kind.STRING) return value.value;
      throw new Error(`@${directive.name.value} on ${path}: expected lists of strings in "${argument}"`);
    }),
  );
}

function listOf(value: ConstValueNode | undefined): readonly ConstValueNode[] {
  if (value === undefined) return [];
  return value.kind === Kind.LIST ? value.values : [value];
}
