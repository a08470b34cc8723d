import type { FlattenNodePathSegment } from '@graphql-hive/router-query-planner' with { 'resolution-mode': 'import' };
import type { TypeCondition } from './answer-types';
import type { JsonObject } from './json-objects';
import { isJsonObject } from './json-objects';

export type ResponsePath = readonly (string | number)[];

/** An object in the merged data that a fetch may add to. */
export interface EntityTarget {
  readonly entity: JsonObject;
  readonly path: ResponsePath;
}

/** All objects at a plan's path (`products.@.owner|[User]`), in the order of the answer. */
export function entityTargets(
  data: unknown,
  path: readonly FlattenNodePathSegment[],
  isOfType: TypeCondition,
): readonly EntityTarget[] {
  const targets: EntityTarget[] = [];
  const walk = (value: unknown, depth: number, at: ResponsePath): void => {
    if (Array.isArray(value)) {
      const next = path[depth] === '@' ? depth + 1 : depth;
      value.forEach((item, index) => walk(item, next, [...at, index]));
      return;
    }
    if (!isJsonObject(value)) return;
    const segment = path[depth];
    if (segment === undefined) {
      targets.push({ entity: value, path: at });
    } else if (segment === '@') {
      return;
    } else if ('Field' in segment) {
      walk(value[segment.Field], depth + 1, [...at, segment.Field]);
    } else if (segment.TypeCondition.some((condition) => isOfType(typeNameOf(value), condition))) {
      walk(value, depth + 1, at);
    }
  };
  walk(data, 0, []);
  return targets;
}

export const typeNameOf = (entity: JsonObject): string | undefined =>
  typeof entity['__typename'] === 'string' ? entity['__typename'] : undefined;
