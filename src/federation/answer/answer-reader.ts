import type { GraphQLCompositeType, GraphQLOutputType, SelectionSetNode } from 'graphql';
import { getNullableType, isCompositeType, isLeafType, isListType, isNonNullType, isObjectType } from 'graphql';
import type { JsonObject } from './json-objects';
import { copyJson, emptyObject, isJsonObject } from './json-objects';
import type { AnswerTypes } from './answer-types';
import type { ResponsePath } from './entity-targets';
import type { PathTree } from './path-tree';
import type { RequestedFields, RequestedMembers } from './requested-fields';

interface AnswerReaderOptions {
  readonly types: AnswerTypes;
  /** The subgraph's value of join__Graph. */
  readonly graphKey: string | undefined;
  readonly requested: RequestedFields;
  /** The paths of the errors in the answer. */
  readonly explained: PathTree;
  /** Called for each value of the wrong shape. */
  readonly onProblem: (path: ResponsePath, problem: string) => void;
  /** Called once, when the answer has members that were not requested. */
  readonly onUnrequested: (path: ResponsePath, member: string) => void;
}

/** A null that propagates to the next nullable place (GraphQL 6.4.4). */
const nothing = Symbol('null for a non-null field');

/**
 * Extracts from a subgraph's answer only what was requested: the members of the selection, each with the shape that the
 * supergraph defines. A value of another shape becomes null, as does any parent that requires it, and is reported. This
 * also ensures that no other subgraph is queried for an object without a key. Objects are copied, without a prototype:
 * `__proto__` is a legal alias.
 */
export class AnswerReader {
  readonly #options: AnswerReaderOptions;
  readonly #path: (string | number)[] = [];
  #hasUnasked = false;

  constructor(options: AnswerReaderOptions) {
    this.#options = options;
  }

  /**
   * Reads the data of a request. The object's `__typename` may be any name that its subgraph gives the operation type.
   */
  root(typeName: string, data: JsonObject): JsonObject {
    const { requested } = this.#options;
    return this.#members(data, requested.of(typeName, typeName, requested.root), typeName, false) ?? emptyObject();
  }

  /** Reads an item of `_entities` that was requested as that type. @returns null when it is not one. */
  entity(typeName: string, value: unknown, path: readonly [key: string, index: number]): JsonObject | null {
    const type = this.#options.types.schema.getType(typeName);
    if (!isCompositeType(type)) return null;
    this.#path.push(...path);
    const entity = this.#object(type, value, this.#options.requested.below(path[0]), false);
    this.#path.length = 0;
    return entity;
  }

  #value(declared: GraphQLOutputType, value: unknown, selectionSets: readonly SelectionSetNode[]): unknown {
    const read = this.#nullable(declared, value, selectionSets);
    return read === null && isNonNullType(declared) ? nothing : read;
  }

  #nullable(declared: GraphQLOutputType, value: unknown, selectionSets: readonly SelectionSetNode[]): unknown {
    if (value === null) {
      if (isNonNullType(declared)) this.#unexplained(`expected ${String(declared)}, got null`);
      return null;
    }
    const type = getNullableType(declared);
    if (isLeafType(type)) {
      const leaf = this.#options.types.readLeaf(type, value);
      return leaf === undefined ? this.#wrong(declared, value, `a valid ${type.name}`) : copyJson(leaf);
    }
    if (!isListType(type)) return this.#object(type, value, selectionSets, true);
    if (!Array.isArray(value)) return this.#wrong(declared, value);
    const path = this.#path;
    const depth = path.push(0);
    const items: unknown[] = [];
    let isWhole = true;
    for (let index = 0; index < value.length; index += 1) {
      path[depth - 1] = index;
      const item = this.#value(type.ofType, value[index], selectionSets);
      if (item === nothing) isWhole = false;
      items.push(item);
    }
    path.pop();
    return isWhole ? items : null;
  }

  #object(
    declared: GraphQLCompositeType,
    value: unknown,
    selectionSets: readonly SelectionSetNode[],
    isWhole: boolean,
  ): JsonObject | null {
    if (!isJsonObject(value)) {
      this.#problem(`expected ${declared.name}, got ${kindOf(value)}`);
      return null;
    }
    const { types, graphKey, requested } = this.#options;
    const isObject = isObjectType(declared);
    const members = requested.of(declared.name, isObject ? declared.name : undefined, selectionSets);
    const name = members.typeName;
    const typeName = name === undefined ? undefined : ownMember(value, name.key);
    // If its name was not requested, or only in fragments that may not apply, an object of an abstract type has none.
    if (name === undefined || (typeName === undefined && name.isOptional)) {
      return this.#members(value, members, isObject ? declared.name : undefined, isWhole);
    }
    const isFitting = isObject
      ? typeName === declared.name
      : typeof typeName === 'string' && types.isPossible(typeName, declared.name, graphKey);
    if (!isFitting) {
      this.#problem(`expected the __typename of ${declared.name}, got ${wordOf(typeName)}`);
      return null;
    }
    if (isObject) return this.#members(value, members, declared.name, isWhole);
    // The `__typename` of an @interfaceObject is the name of its interface.
    const runtimeType = types.isAbstract(typeName as string) ? undefined : (typeName as string);
    return this.#members(
      value,
      requested.of(typeName as string, runtimeType, selectionSets),
      typeName as string,
      isWhole,
    );
  }

  /**
   * @param isWhole Whether the result is null when a non-null member is missing; otherwise it has the other members.
   */
  #members(
    value: JsonObject,
    { fields, keys }: RequestedMembers,
    typeName: string | undefined,
    isWhole: boolean,
  ): JsonObject | null {
    const object = emptyObject();
    let isMissing = false;
    const path = this.#path;
    for (const { key, fieldName, type, isOptional, selectionSets } of fields) {
      if (fieldName === '__typename') {
        if (typeName === undefined) continue;
        object[key] = typeName;
        // Later fetches, and shaping the result, look it up under its own name.
        if (!keys.has('__typename')) object['__typename'] = typeName;
        continue;
      }
      const member = ownMember(value, key);
      if (member === undefined && isOptional) continue;
      path.push(key);
      if (type === undefined) {
        this.#problem('the type has no such field');
        object[key] = null;
      } else if (member === undefined) {
        this.#unexplained(`expected ${String(type)}, got nothing`);
        object[key] = null;
        isMissing ||= isNonNullType(type);
      } else {
        const read = this.#value(type, member, selectionSets);
        object[key] = read === nothing ? null : read;
        isMissing ||= read === nothing;
      }
      path.pop();
    }
    if (!this.#hasUnasked) this.#lookForUnasked(value, keys);
    return isMissing && isWhole ? null : object;
  }

  #lookForUnasked(value: JsonObject, keys: ReadonlySet<string>): void {
    const unrequested = Object.keys(value).find((key) => !keys.has(key));
    if (unrequested === undefined) return;
    this.#hasUnasked = true;
    this.#options.onUnrequested(this.#path, unrequested);
  }

  #wrong(type: GraphQLOutputType, value: unknown, expected = String(type)): null {
    this.#problem(`expected ${expected}, got ${kindOf(value)}`);
    return null;
  }

  /** A null or missing value is not a defect if an error of the answer explains it. */
  #unexplained(problem: string): void {
    if (!this.#options.explained.touches(this.#path)) this.#problem(problem);
  }

  #problem(problem: string): void {
    this.#options.onProblem(this.#path, problem);
  }
}

const ownMember = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a string' : typeof value === 'number' ? 'a number' : 'a boolean';
}

/** A subgraph's text, if it can only be a name. */
const wordOf = (value: unknown): string =>
  typeof value === 'string' && /^\w{1,100}$/.test(value) ? value : kindOf(value);
