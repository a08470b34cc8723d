import type { EntityBatchAlias, FetchNode, FlattenNodePathSegment } from '@graphql-hive/router-query-planner' with {
  'resolution-mode': 'import',
};
import { ApiError } from '../../errors/api-error';
import type { SubgraphError } from '../subgraph-executor';
import type { EntityTarget, ResponsePath } from '../answer/entity-targets';
import { entityTargets } from '../answer/entity-targets';
import type { JsonObject } from '../answer/json-objects';
import { copyJson, countValues, isJsonObject, mergeJson } from '../answer/json-objects';
import type { FetchInstruction, PlanExecution } from './plan-execution';
import { notQueried, reportError, usedVariables } from './plan-execution';
import type { OpenAnswer } from './read-answer';
import { openAnswer } from './read-answer';
import { toRepresentation } from './representations';
import { applyRewrites } from './rewrites';
import { getOrMake } from '../../common/once';

/** An object of the answer, and the index of its representation in the list that is sent to the subgraph. */
interface RequestedTarget extends EntityTarget {
  readonly index: number;
}

interface RequestedAlias {
  readonly alias: EntityBatchAlias;
  readonly list: RepresentationList;
  readonly targets: readonly RequestedTarget[];
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
 * Maximum number of entities in one fetch. More than any page of the catalog. Other subgraphs' lists may be longer, and
 * for each item the queried subgraph would have to find a row.
 */
const maxRepresentations = 5000;

/**
 * Requests more data of entities that are already in the answer, and merges it into them. An entity that occurs several
 * times is requested once. Without entities no request is sent.
 */
export async function fetchEntities(
  fetch: FetchInstruction,
  aliases: readonly EntityBatchAlias[],
  execution: PlanExecution,
): Promise<void> {
  const lists = new Map<string, RepresentationList>();
  const asked = aliases.map((alias): RequestedAlias => {
    const list = getOrMake(lists, alias.representationsVariableName, () => new RepresentationList());
    return { alias, list, targets: askedTargets(alias, list, execution) };
  });
  if (asked.every(({ targets }) => targets.length === 0)) return;
  const report = createEntityErrorReport(fetch.serviceName, asked, execution);
  if ([...lists.values()].some(({ representations }) => representations.length > maxRepresentations)) {
    return report(
      tooManyEntities(
        `needs more than ${maxRepresentations} objects from one subgraph at once. Request fewer objects.`,
      ),
    );
  }
  const variables = usedVariables(fetch, execution);
  for (const [name, list] of lists) variables[name] = list.representations;
  const answer = await openAnswer(fetch, variables, execution);
  const problems: SubgraphError[] = [];
  if (answer.data !== undefined) {
    try {
      for (const one of asked) mergeEntities(readEntities(answer, one), one, execution, problems);
    } catch (thrown) {
      // Nested more deeply than the stack allows.
      problems.push(notQueried(thrown));
    }
  }
  for (const error of [...answer.close(), ...problems]) report(error);
}

/** Representations without duplicates. */
class RepresentationList {
  readonly representations: JsonObject[] = [];
  readonly #indexes = new Map<string, number>();

  indexOf(representation: JsonObject): number {
    return getOrMake(
      this.#indexes,
      JSON.stringify(representation),
      () => this.representations.push(representation) - 1,
    );
  }
}

/** The parsed list of an alias; empty when it is not a list, or does not match the representations. */
function readEntities(answer: OpenAnswer, { alias, list, targets }: RequestedAlias): readonly (JsonObject | null)[] {
  const { data, isTrusted, reader, fault } = answer;
  const key = alias.alias;
  const entities = data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined;
  if (isTrusted) return Array.isArray(entities) ? (copyJson(entities) as (JsonObject | null)[]) : [];
  if (targets.length === 0 || (entities === null && answer.isExplained([key]))) return [];
  if (!Array.isArray(entities)) {
    if (entities !== undefined || !answer.isExplained([key])) fault([key], 'expected a list of entities');
    return [];
  }
  const expected = list.representations.length;
  if (entities.length !== expected) {
    fault([key], `list length: expected ${expected}, got ${entities.length}`);
    return [];
  }
  return entities.map((entity: unknown, index) => {
    const typeName = list.representations[index]?.['__typename'];
    return entity === null ? null : reader.entity(String(typeName), entity, [key, index]);
  });
}

function askedTargets(
  { paths, requires, inputRewrites }: EntityBatchAlias,
  list: RepresentationList,
  { data, environment: { types } }: PlanExecution,
): readonly RequestedTarget[] {
  return paths
    .flatMap((path) => entityTargets(data, path, types.isOfType))
    .flatMap((target) => {
      const representation = toRepresentation(target.entity, requires, inputRewrites, types.isOfType);
      return representation === undefined ? [] : [{ ...target, index: list.indexOf(representation) }];
    });
}

function mergeEntities(
  entities: readonly (JsonObject | null)[],
  { alias, targets }: RequestedAlias,
  { environment: { types }, budget }: PlanExecution,
  problems: SubgraphError[],
): void {
  applyRewrites(entities, alias.outputRewrites, types.isOfType);
  const sizes = new Map<number, number>();
  for (const { entity, index } of targets) {
    const found = entities[index];
    if (!isJsonObject(found)) continue;
    const size = sizes.get(index);
    if (size === undefined) {
      sizes.set(index, 0);
      mergeJson(entity, found, types.isAbstract);
      continue;
    }
    // Later fetches merge into each place separately, so no two places may share one object. Copies count: one entity's
    // data may be large and occur in many places.
    const values = size || countValues(found);
    sizes.set(index, values);
    if (!budget.take(0, values)) {
      problems.push(
        tooManyEntities(
          'returns more objects than a response can hold. Request fewer objects, or fewer fields of each.',
        ),
      );
      return;
    }
    mergeJson(entity, copyJson(found) as JsonObject, types.isAbstract);
  }
}

const tooManyEntities = (problem: string): SubgraphError => {
  const originalError = new ApiError('BAD_USER_INPUT', `The operation ${problem}`);
  return { message: originalError.message, originalError, extensions: { code: originalError.code } };
};

/**
 * An error at `_entities.3.name` applies to every object that representation 3 stands for. One without such a path
 * applies to all of them and is reported once, where their paths diverge.
 */
function createEntityErrorReport(
  serviceName: string,
  asked: readonly RequestedAlias[],
  execution: PlanExecution,
): (error: SubgraphError) => void {
  const byIndex = new Map<RequestedAlias, Map<unknown, RequestedTarget[]>>();
  const commonPaths = new Map<RequestedAlias | undefined, ResponsePath | undefined>();

  function targetsAt(one: RequestedAlias, index: unknown): readonly RequestedTarget[] {
    const targets = getOrMake(byIndex, one, () => {
      const made = new Map<unknown, RequestedTarget[]>();
      for (const target of one.targets) getOrMake(made, target.index, () => []).push(target);
      return made;
    });
    return targets.get(index) ?? [];
  }

  function commonPathOf(one: RequestedAlias | undefined): ResponsePath | undefined {
    if (!commonPaths.has(one))
      commonPaths.set(one, commonPath((one ? [one] : asked).flatMap(({ targets }) => targets)));
    return commonPaths.get(one);
  }

  return (error) => {
    const [key, index, ...rest] = error.path ?? [];
    const one = asked.find(({ alias }) => alias.alias === key);
    const hit = (one ? [one] : asked).flatMap((candidate) => targetsAt(candidate, index));
    if (hit.length === 0) reportError(error, serviceName, commonPathOf(one), execution);
    for (const target of hit) reportError(error, serviceName, [...target.path, ...rest], execution);
  };
}

function commonPath(targets: readonly EntityTarget[]): ResponsePath | undefined {
  const [first, ...others] = targets;
  if (first === undefined) return undefined;
  const parts = first.path.findIndex((segment, depth) => others.some(({ path }) => path[depth] !== segment));
  return parts === -1 ? first.path : first.path.slice(0, parts);
}
