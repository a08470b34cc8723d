import type { QueryPlan } from '@graphql-hive/router-query-planner' with { 'resolution-mode': 'import' };
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../../errors/api-error';
import type { RefusedReply } from '../../common/isolated-process';
import { createProcessOnDemand, ProcessDeath } from '../../common/isolated-process';

export interface PlanQuestion {
  readonly source: string;
  readonly operationName: string | undefined;
  /** 0 ≤ percentage < 100: decides which progressive `@override`s apply. */
  readonly percentage: number;
}

/** Sent to the planner's process, one at a time. The supergraph is sent once, first. */
export type PlannerRequest = { readonly supergraphSdl: string } | PlanQuestion;

/** Sent by the planner's process, one per request. */
export type PlannerReply = { readonly kind: 'Loaded' } | QueryPlan | RefusedReply;

/** Creates plans for one supergraph in a separate process, which is started when needed, also after it has died. */
export interface IsolatedPlanner {
  /** Of the current planner process. */
  readonly processId: number | undefined;
  /** @throws Error when the planner rejects the supergraph, or this platform has no planner. */
  load(): Promise<void>;
  /** @throws ApiError when this operation cannot be planned, or when none can be planned right now. */
  plan(question: PlanQuestion): Promise<QueryPlan>;
  /** From now on the process lives only while it has a request. */
  retire(): void;
}

/** Far longer than planning takes, and within the time limit of an operation. */
export const planMilliseconds = 1000;
const loadMilliseconds = 30_000;

/** Operations on which the planner died. Remembered briefly, since an operation may not have been the cause. */
const crashingOperations = { max: 1000, maxSize: 4 * 1024 * 1024, ttl: 60_000 };

export function createIsolatedPlanner(supergraphSdl: string): IsolatedPlanner {
  const crashing = new LRUCache<string, true>({ ...crashingOperations, sizeCalculation: (_, key) => key.length });
  const planner = createProcessOnDemand<PlannerRequest, PlannerReply>(
    { name: 'The query planner', module: join(__dirname, 'planner-process') },
    stopWhenIdle,
  );
  let loaded: typeof planner.process | undefined;
  let isRetired = false;

  function stopWhenIdle(): void {
    if (isRetired && planner.isIdle()) planner.stop();
  }

  async function loadedPlanner() {
    const { process } = planner;
    try {
      if (process !== loaded) await process.ask({ supergraphSdl }, loadMilliseconds);
    } catch (thrown) {
      process.stop();
      throw thrown;
    }
    return (loaded = process);
  }

  async function plan(question: PlanQuestion, key: string): Promise<QueryPlan> {
    if (crashing.has(key)) throw new Error('This operation has crashed the query planner before.');
    const running = await loadedPlanner().catch((thrown: unknown) => {
      throw thrown instanceof ProcessDeath && thrown.isFromOutside ? thrown : noPlanner(thrown);
    });
    return (await running.ask(question, planMilliseconds)) as QueryPlan;
  }

  return {
    get processId() {
      return planner.processId;
    },
    async load() {
      await planner.inTurn(loadedPlanner);
    },
    async plan(question) {
      const key = `${question.operationName ?? ''}\n${question.source}`;
      try {
        return await planner.inTurn(() => plan(question, key));
      } catch (thrown) {
        if (thrown instanceof ApiError) throw thrown;
        if (thrown instanceof ProcessDeath) crashing.set(key, true);
        throw noPlan(thrown);
      }
    },
    retire() {
      isRetired = true;
      stopWhenIdle();
    },
  };
}

/** Like an exceeded limit: repeating the request does not help, changing it does. */
const noPlan = (cause: unknown): ApiError =>
  new ApiError(
    'BAD_USER_INPUT',
    'No query plan was found for this operation across subgraphs. Split it into several operations.',
    { cause },
  );

const noPlanner = (cause: unknown): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', 'Operations across several subgraphs cannot be planned right now. Try again.', {
    cause,
  });
