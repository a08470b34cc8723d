import type { EntityBatchAlias, FetchNode, FlattenNodePathSegment } from '@graphql-hive/router-query-planner' with {
  'resolution-mode': 'import',
};
import type { SubgraphError } from '../subgraph-executor';
import type { EntityTarget, ResponsePath } from './entity-targets';
import { entityTargets } from './entity-targets';
import type { JsonObject } from './json-objects';
import { copyJson, isJsonObject, mergeJson } from './json-objects';
import type { FetchInstruction, PlanExecution } from './plan-execution';
import { callSubgraph, reportError, usedVariables } from './plan-execution';
import { toRepresentation } from './representations';
import { applyRewrites } from './rewrites';

/** An object of the answer, and the place of its representation in the list that the subgraph is sent. */
interface AskedTarget extends EntityTarget {
  readonly index: number;
}

interface AskedAlias {
  readonly alias: EntityBatchAlias;
  readonly targets: readonly AskedTarget[];
}

/** `_entities` for the objects at one path. */
export const flattenedAlias = (path: FlattenNodePathSegment[], fetch: FetchNode): EntityBatchAlias => ({
  alias: '_entities',
  representationsVariableName: 'representations',
  paths: [path],
  requires: fetch.requires ?? [],
  ...(fetch.inputRewrites !== undefined && { inputRewrites: fetch.inputRewrites }),
  ...(fetch.outputRewrites !== undefined && { outputRewrites: fetch.outputRewrites }),
});

/**
 * Asks a subgraph for more of the entities that are in the answer already, and merges what it knows into them. The same
 * entity in several places is asked for once. Without entities nobody is asked.
 */
export async function fetchEntities(
  fetch: FetchInstruction,
  aliases: readonly EntityBatchAlias[],
  execution: PlanExecution,
): Promise<void> {
  const lists = new Map<string, RepresentationList>();
  const asked = aliases.map((alias): AskedAlias => {
    const list = lists.get(alias.representationsVariableName) ?? new RepresentationList();
    lists.set(alias.representationsVariableName, list);
    return { alias, targets: askedTargets(alias, list, execution) };
  });
  if (asked.every(({ targets }) => targets.length === 0)) return;
  const variables = usedVariables(fetch, execution);
  for (const [name, list] of lists) variables[name] = list.representations;
  const { data, errors } = await callSubgraph(fetch, variables, execution);
  for (const error of errors) reportEntityError(error, fetch.serviceName, asked, execution);
  for (const { alias, targets } of asked) {
    const entities = data?.[alias.alias];
    if (!Array.isArray(entities)) continue;
    applyRewrites(entities, alias.outputRewrites, execution.environment.isOfType);
    mergeEntities(entities, targets);
  }
}

/** Representations without repetition. */
class RepresentationList {
  readonly representations: JsonObject[] = [];
  readonly #indexes = new Map<string, number>();

  indexOf(representation: JsonObject): number {
    const key = JSON.stringify(representation);
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    this.representations.push(representation);
    this.#indexes.set(key, this.representations.length - 1);
    return this.representations.length - 1;
  }
}

function askedTargets(
  { paths, requires, inputRewrites }: EntityBatchAlias,
  list: RepresentationList,
  { data, environment: { isOfType } }: PlanExecution,
): readonly AskedTarget[] {
  return paths
    .flatMap((path) => entityTargets(data, path, isOfType))
    .flatMap((target) => {
      const representation = toRepresentation(target.entity, requires, inputRewrites, isOfType);
      return representation === undefined ? [] : [{ ...target, index: list.indexOf(representation) }];
    });
}

function mergeEntities(entities: readonly unknown[], targets: readonly AskedTarget[]): void {
  const used = new Set<number>();
  for (const { entity, index } of targets) {
    const found = entities[index];
    if (!isJsonObject(found)) continue;
    // Later fetches merge into both places on their own, so no two places may hold one object.
    mergeJson(entity, used.has(index) ? (copyJson(found) as JsonObject) : found);
    used.add(index);
  }
}

/**
 * An error at `_entities.3.name` belongs to every object that representation 3 stands for; one without such a path belongs
 * to all of them, and is reported once, where their paths part.
 */
function reportEntityError(
  error: SubgraphError,
  serviceName: string,
  asked: readonly AskedAlias[],
  execution: PlanExecution,
): void {
  const [key, index, ...rest] = error.path ?? [];
  const candidates = asked.find(({ alias }) => alias.alias === key)?.targets ?? asked.flatMap(({ targets }) => targets);
  const hit = candidates.filter((target) => target.index === index);
  if (hit.length === 0) return reportError(error, serviceName, commonPath(candidates), execution);
  for (const target of hit) reportError(error, serviceName, [...target.path, ...rest], execution);
}

function commonPath(targets: readonly EntityTarget[]): ResponsePath | undefined {
  const [first, ...others] = targets.map(({ path }) => path);
  if (first === undefined) return undefined;
  const parts = first.findIndex((segment, depth) => others.some((path) => path[depth] !== segment));
  return parts === -1 ? first : first.slice(0, parts);
}
