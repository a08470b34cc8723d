import type { QueryPlan } from '@graphql-hive/router-query-planner' with { 'resolution-mode': 'import' };
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../../errors/api-error';
import type { Timer } from '../../common/timer';
import { systemTimer } from '../../common/timer';
import type { IsolatedProcess, RefusedReply } from '../../common/isolated-process';
import { ProcessDeath, startIsolatedProcess } from '../../common/isolated-process';

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

type RunningPlanner = IsolatedProcess<PlannerRequest, PlannerReply>;

/** Far longer than planning takes, and within the time limit of an operation. */
export const planMilliseconds = 1000;
const loadMilliseconds = 30_000;

/** Operations on which the planner died. Remembered briefly, since an operation may not have been the cause. */
const crashingOperations = { max: 1000, maxSize: 4 * 1024 * 1024, ttl: 60_000 };

export function createIsolatedPlanner(supergraphSdl: string, timer: Timer = systemTimer): IsolatedPlanner {
  const crashing = new LRUCache<string, true>({ ...crashingOperations, sizeCalculation: (_, key) => key.length });
  let running: { readonly planner: RunningPlanner; readonly loaded: Promise<unknown> } | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let asked = 0;
  let isRetired = false;

  function start() {
    const planner: RunningPlanner = startIsolatedProcess({
      name: 'The query planner',
      module: join(__dirname, 'planner-process'),
      timer,
      onDeath() {
        if (running?.planner === planner) running = undefined;
      },
    });
    const loaded = planner.ask({ supergraphSdl }, loadMilliseconds).catch((thrown: unknown) => {
      planner.stop();
      throw thrown;
    });
    return (running = { planner, loaded });
  }

  async function loadedPlanner(): Promise<RunningPlanner> {
    const { planner, loaded } = running ?? start();
    await loaded;
    return planner;
  }

  function stopWhenIdle(): void {
    if (isRetired && asked === 0) running?.planner.stop();
  }

  /**
   * One at a time, so that the cause of a process's death is known. A request that was not the cause is retried once.
   */
  async function inTurn<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    asked += 1;
    const answer = last.then(ask).catch((thrown: unknown) => {
      if (thrown instanceof ProcessDeath && thrown.isFromOutside) return ask();
      throw thrown;
    });
    last = answer.catch(() => undefined);
    try {
      return await answer;
    } finally {
      asked -= 1;
      stopWhenIdle();
    }
  }

  async function plan(question: PlanQuestion, key: string): Promise<QueryPlan> {
    if (crashing.has(key)) throw new Error('This operation has crashed the query planner before.');
    const planner = await loadedPlanner().catch((thrown: unknown) => {
      throw thrown instanceof ProcessDeath && thrown.isFromOutside ? thrown : noPlanner(thrown);
    });
    return (await planner.ask(question, planMilliseconds)) as QueryPlan;
  }

  return {
    get processId() {
      return running?.planner.processId;
    },
    async load() {
      await inTurn(loadedPlanner);
    },
    async plan(question) {
      const key = `${question.operationName ?? ''}\n${question.source}`;
      try {
        return await inTurn(() => plan(question, key));
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
