import type { InputRewrite, RequiresSelection } from '@graphql-hive/router-query-planner' with {
  'resolution-mode': 'import',
};
import type { TypeCondition } from '../answer/answer-types';
import { typeNameOf } from '../answer/entity-targets';
import type { JsonObject } from '../answer/json-objects';
import { copyJson, emptyObject, isJsonObject, mergeJson } from '../answer/json-objects';
import { applyRewrites } from './rewrites';

/**
 * Creates the representation with which an entity is requested from a subgraph: its `__typename`, its key, and what an
 * `@requires` needs.
 * @returns undefined when a part of it is missing: then the subgraph cannot be queried.
 */
export function toRepresentation(
  entity: JsonObject,
  requires: readonly RequiresSelection[] | undefined,
  inputRewrites: readonly InputRewrite[] | undefined,
  isOfType: TypeCondition,
): JsonObject | undefined {
  const typeName = typeNameOf(entity);
  if (typeName === undefined) return undefined;
  const representation = emptyObject();
  let isAsked = false;
  for (const selection of requires ?? []) {
    if (selection.kind === 'InlineFragment' && !isOfType(typeName, selection.typeCondition)) continue;
    const selections = selection.kind === 'InlineFragment' ? selection.selections : [selection];
    const part = project(selections, entity, isOfType);
    if (part === undefined) return undefined;
    mergeJson(representation, part);
    isAsked = true;
  }
  if (!isAsked) return undefined;
  representation['__typename'] ??= typeName;
  applyRewrites(representation, inputRewrites, isOfType);
  return representation;
}

/** The selected part of an object; undefined when a selected member is missing. A null member is not missing. */
function project(
  selections: readonly RequiresSelection[],
  object: JsonObject,
  isOfType: TypeCondition,
): JsonObject | undefined {
  const projected = emptyObject();
  let isEmpty = true;
  for (const selection of selections) {
    if (selection.kind === 'FragmentSpread') continue;
    if (selection.kind === 'InlineFragment') {
      if (!mayBeOfType(object, selection.typeCondition, isOfType)) continue;
      const part = project(selection.selections, object, isOfType);
      if (part === undefined) continue;
      mergeJson(projected, part);
      isEmpty = false;
      continue;
    }
    const value = object[selection.name];
    if (value === undefined) {
      if (selection.name === '__typename') continue;
      return undefined;
    }
    projected[selection.alias ?? selection.name] =
      selection.selections === undefined || selection.selections.length === 0
        ? copyJson(value)
        : projectDeep(selection.selections, value, isOfType);
    isEmpty = false;
  }
  return isEmpty ? undefined : projected;
}

function projectDeep(selections: readonly RequiresSelection[], value: unknown, isOfType: TypeCondition): unknown {
  if (Array.isArray(value)) return value.map((item) => projectDeep(selections, item, isOfType));
  return isJsonObject(value) ? (project(selections, value, isOfType) ?? null) : null;
}

/**
 * Objects of a field that needs no `__typename` have none: the planner knows the type, and either side may be the more
 * specific one.
 */
function mayBeOfType(object: JsonObject, condition: string, isOfType: TypeCondition): boolean {
  const typeName = typeNameOf(object);
  return typeName === undefined || isOfType(typeName, condition) || isOfType(condition, typeName);
}
