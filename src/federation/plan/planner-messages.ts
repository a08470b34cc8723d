import type { QueryPlan } from '@graphql-hive/router-query-planner' with { 'resolution-mode': 'import' };
import type { Refusal } from '../../common/isolated-process';

export interface PlanQuestion {
  readonly source: string;
  readonly operationName: string | undefined;
  /** 0 ≤ percentage < 100: decides which progressive `@override`s apply. */
  readonly percentage: number;
}

/** To the planner's process, one at a time. The supergraph is sent first, and once. */
export type PlannerRequest = { readonly supergraphSdl: string } | PlanQuestion;

/** From the planner's process, one per request. */
export type PlannerReply = { readonly kind: 'Loaded' } | QueryPlan | Refusal;
