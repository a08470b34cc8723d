import type { FetchRewrite } from '@graphql-hive/router-query-planner' with { 'resolution-mode': 'import' };
import type { TypeCondition } from '../answer/answer-types';
import { isJsonObject } from '../answer/json-objects';

/**
 * Applies a plan's rewrites in place: the planner renames aliases that would conflict, and sends an `@interfaceObject`
 * subgraph the name of the interface instead of the implementation's.
 */
export function applyRewrites(
  value: unknown,
  rewrites: readonly FetchRewrite[] | undefined,
  isOfType: TypeCondition,
): void {
  for (const rewrite of rewrites ?? []) applyRewrite(value, rewrite, 0, isOfType);
}

function applyRewrite(value: unknown, rewrite: FetchRewrite, depth: number, isOfType: TypeCondition): void {
  if (Array.isArray(value)) {
    for (const item of value) applyRewrite(item, rewrite, depth, isOfType);
    return;
  }
  const { path } = bodyOf(rewrite);
  const segment = path[depth];
  if (!isJsonObject(value) || segment === undefined) return;
  if ('TypenameEquals' in segment) {
    const typeName = value['__typename'];
    const applies =
      typeof typeName !== 'string' || segment.TypenameEquals.some((condition) => isOfType(typeName, condition));
    if (applies) applyRewrite(value, rewrite, depth + 1, isOfType);
  } else if (depth < path.length - 1) {
    applyRewrite(value[segment.Key], rewrite, depth + 1, isOfType);
  } else {
    rewriteMember(value, segment.Key, rewrite);
  }
}

function rewriteMember(object: Record<string, unknown>, key: string, rewrite: FetchRewrite): void {
  const body = bodyOf(rewrite);
  if ('setValueTo' in body) {
    object[key] = body.setValueTo;
  } else if (key in object && body.renameKeyTo !== key) {
    object[body.renameKeyTo] = object[key];
    delete object[key];
  }
}

function bodyOf(rewrite: FetchRewrite) {
  if ('ValueSetter' in rewrite) return rewrite.ValueSetter;
  if ('KeyRenamer' in rewrite) return rewrite.KeyRenamer;
  return rewrite;
}
