import { isJsonObject } from '../../common/parse-json';

export { isJsonObject };

export type JsonObject = Record<string, unknown>;

/**
 * A deep copy whose objects have no prototype. A copy, because results are merged into each other and a subgraph in
 * this process may return objects that it caches. Without a prototype, because `__proto__` is a legal alias and so a
 * key that clients choose.
 */
export function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyJson);
  if (!isJsonObject(value)) return value;
  const copy = emptyObject();
  for (const key of Object.keys(value)) copy[key] = copyJson(value[key]);
  return copy;
}

const EmptyObject = function () {} as unknown as { new (): JsonObject; prototype: object };
EmptyObject.prototype = Object.freeze(Object.create(null) as object);

/**
 * An object that inherits nothing. Its prototype is an empty object: without any, V8 makes it a dictionary, which takes
 * several times as long to fill and to write.
 */
export const emptyObject = (): JsonObject => new EmptyObject();

/**
 * Merges another fetch's result for the same object: members are united, lists are merged element by element, and a
 * null never replaces an existing value. Nor does the name of an abstract type replace a `__typename`: to a subgraph
 * with an `@interfaceObject` every implementation has the name of the interface.
 */
export function mergeJson(
  target: JsonObject,
  source: JsonObject,
  isAbstract: (typeName: string) => boolean = () => false,
): JsonObject {
  for (const key of Object.keys(source)) {
    const value = source[key];
    if (!(key in target)) target[key] = value;
    else if (key !== '__typename' || typeof value !== 'string' || !isAbstract(value)) {
      target[key] = merged(target[key], value, isAbstract);
    }
  }
  return target;
}

function merged(target: unknown, source: unknown, isAbstract: (typeName: string) => boolean): unknown {
  if (Array.isArray(target) && Array.isArray(source)) {
    const length = Math.max(target.length, source.length);
    return Array.from({ length }, (_, index) => merged(target[index], source[index], isAbstract));
  }
  if (isJsonObject(target) && isJsonObject(source)) return mergeJson(target, source, isAbstract);
  return source === null || source === undefined ? (target ?? null) : source;
}

/** The number of values: itself, and those within it. */
export function countValues(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countValues(item), 1);
  if (!isJsonObject(value)) return 1;
  return Object.keys(value).reduce((sum, key) => sum + countValues(value[key]), 1);
}
