import type { QueryPlan } from '@graphql-hive/router-query-planner' with { 'resolution-mode': 'import' };
import type { SelectionNode } from 'graphql';
import { Kind, parse, print } from 'graphql';
import { FairCache } from '../../common/fair-cache';
import type { IsolatedPlanner } from './isolated-planner';

interface PlanRequest {
  readonly source: string;
  readonly operationName: string | undefined;
  /** The owner whose share of the cache the plan uses. */
  readonly owner: string;
}

/** The plans of a supergraph, each created once while it stays cached. */
export interface QueryPlans {
  /** @throws ApiError when the operation cannot be planned. */
  planFor(request: PlanRequest): Promise<QueryPlan>;
}

interface QueryPlansOptions {
  readonly planner: Pick<IsolatedPlanner, 'plan'>;
  /** The shares of requests that the supergraph's progressive `@override`s take. */
  readonly overridePercentages: readonly number[];
  /** 0 ≤ random() < 1: decides which share of the requests a progressive `@override` takes. */
  readonly random: () => number;
  /** Root types with other names than the usual ones: the planner puts their fields into a fragment. */
  readonly customRoots?: ReadonlySet<string> | undefined;
  /** Bounds in bytes, over all owners and for each one. The defaults are generous. */
  readonly totalBytes?: number | undefined;
  readonly bytesPerOwner?: number | undefined;
}

const megabyte = 1024 * 1024;
const overheadBytes = 500;

/**
 * Memory per character of a plan's JSON: the text of its key, the objects, and the documents of its fetches, parsed and
 * compiled.
 */
const bytesPerCharacter = 8;

/**
 * Caches the plans, bounded in size and fair between owners (FairCache), since clients choose the documents. Requests
 * that arrive while a plan is being created wait for that plan.
 */
export function createQueryPlans({
  planner,
  overridePercentages,
  random,
  customRoots = new Set(),
  totalBytes = 32 * megabyte,
  bytesPerOwner = 8 * megabyte,
}: QueryPlansOptions): QueryPlans {
  const plans = new FairCache<QueryPlan>({
    totalSize: totalBytes,
    sizePerOwner: bytesPerOwner,
    overhead: overheadBytes,
    isCommon: true,
  });
  const pending = new Map<string, Promise<QueryPlan>>();
  const thresholds = [...overridePercentages].sort((a, b) => a - b);

  async function make(key: string, { source, operationName, owner }: PlanRequest, percentage: number) {
    try {
      const made = await planner.plan({ source, operationName, percentage });
      const plan = customRoots.size === 0 ? made : withoutRootFragments(made, customRoots);
      plans.set(owner, key, plan, 2 * key.length + bytesPerCharacter * JSON.stringify(plan).length);
      return plan;
    } finally {
      pending.delete(key);
    }
  }

  return {
    async planFor(request) {
      const percentage = thresholds.length === 0 ? 0 : random() * 100;
      const active = thresholds.filter((threshold) => percentage < threshold).length;
      const key = `${active} ${request.operationName ?? ''}\n${request.source}`;
      const known = plans.get(request.owner, key) ?? pending.get(key);
      if (known !== undefined) return known;
      const plan = make(key, request, percentage);
      pending.set(key, plan);
      return plan;
    },
  };
}

/**
 * A subgraph's own root type may have another name than the supergraph's, so `{ ... on RootQuery { a } }` is sent as
 * `{ a }`.
 */
function withoutRootFragments(plan: QueryPlan, roots: ReadonlySet<string>): QueryPlan {
  const text = JSON.stringify(plan, (key, value: unknown) =>
    key === 'operation' && typeof value === 'string' ? unwrapRoot(value, roots) : value,
  );
  return JSON.parse(text) as QueryPlan;
}

function unwrapRoot(operation: string, roots: ReadonlySet<string>): string {
  const document = parse(operation, { noLocation: true });
  const unwrap = (selections: readonly SelectionNode[]): readonly SelectionNode[] =>
    selections.flatMap((selection) =>
      selection.kind === Kind.INLINE_FRAGMENT &&
      roots.has(selection.typeCondition?.name.value ?? '') &&
      !selection.directives?.length
        ? unwrap(selection.selectionSet.selections)
        : [selection],
    );
  const definitions = document.definitions.map((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? {
          ...definition,
          selectionSet: { ...definition.selectionSet, selections: unwrap(definition.selectionSet.selections) },
        }
      : definition,
  );
  return print({ ...document, definitions });
}
