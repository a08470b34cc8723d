import type { QueryPlan } from '@graphql-hive/router-query-planner' with { 'resolution-mode': 'import' };
import { LRUCache } from 'lru-cache';
import type { IsolatedPlanner } from './isolated-planner';

/** The plans of a supergraph, each made once. */
export interface QueryPlans {
  /** @throws ApiError when there can be none. */
  planFor(source: string, operationName: string | undefined): Promise<QueryPlan>;
}

interface QueryPlansOptions {
  readonly planner: Pick<IsolatedPlanner, 'plan'>;
  /** The shares of requests that the supergraph's progressive `@override`s take. */
  readonly overridePercentages: readonly number[];
  readonly maxPlans: number;
  /** 0 ≤ random() < 1: decides which share of the requests a progressive `@override` takes. */
  readonly random: () => number;
}

/** Characters of documents whose plans are kept: a plan is some small multiple of its document. */
const maxCachedCharacters = 16 * 1024 * 1024;

/**
 * Keeps the plans. Requests that come while a plan is being made wait for that plan.
 * The cache is bounded in entries and in size, since clients choose the documents.
 */
export function createQueryPlans({ planner, overridePercentages, maxPlans, random }: QueryPlansOptions): QueryPlans {
  const plans = new LRUCache<string, Promise<QueryPlan>>({
    max: maxPlans,
    maxSize: maxCachedCharacters,
    sizeCalculation: (_plan, key) => key.length,
  });
  const thresholds = [...overridePercentages].sort((a, b) => a - b);
  return {
    planFor(source, operationName) {
      const percentage = thresholds.length === 0 ? 0 : random() * 100;
      const active = thresholds.filter((threshold) => percentage < threshold).length;
      const key = `${active} ${operationName ?? ''}\n${source}`;
      const known = plans.get(key);
      if (known !== undefined) return known;
      const plan = planner.plan({ source, operationName, percentage });
      plans.set(key, plan);
      plan.catch(() => plans.delete(key));
      return plan;
    },
  };
}
