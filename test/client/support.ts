import type { CatalogClientOptions, Clock } from '../../client/src/index.ts';
import { createCatalogClient } from '../../client/src/index.ts';

/** A clock that jumps to the end of each wait, for client and service alike. */
export interface JumpingClock extends Clock {
  /** All that was waited for, in milliseconds. */
  readonly waits: readonly number[];
  advance(milliseconds: number): void;
}

export function createJumpingClock(
  now: () => number = fixedMoment(),
  moveTo: (moment: number) => void = (moment) => void (now = () => moment),
): JumpingClock {
  const waits: number[] = [];
  return {
    waits,
    now: () => now(),
    advance: (milliseconds) => moveTo(now() + milliseconds),
    async sleep(milliseconds, signal) {
      waits.push(milliseconds);
      const end = now() + milliseconds;
      await new Promise(setImmediate);
      signal?.throwIfAborted();
      if (end > now()) moveTo(end);
    },
  };
}

const fixedMoment = () => () => Date.parse('2026-11-22T12:00:00.000Z');

/**
 * The same for the whole process: a service in it, its rate limiter and its tokens live by the same time. Timers stay
 * real.
 */
export function createProcessClock(): JumpingClock {
  jest.useFakeTimers({
    doNotFake: [
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'requestAnimationFrame',
      'cancelAnimationFrame',
      'requestIdleCallback',
      'cancelIdleCallback',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
      'setTimeout',
      'clearTimeout',
    ],
  });
  return createJumpingClock(
    () => Date.now(),
    (moment) => void jest.setSystemTime(moment),
  );
}

/** An exchange as the network sees it. */
export interface SeenCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
}

/** A client over the real fetch that notes each exchange. */
export function createWatchedClient(options: CatalogClientOptions) {
  const calls: SeenCall[] = [];
  const client = createCatalogClient({
    ...options,
    fetch: async (url, init) => {
      const response = await (options.fetch ?? fetch)(url, init);
      const { pathname, search } = new URL(url);
      const headers = new Headers(init.headers);
      calls.push({ method: init.method ?? 'GET', path: pathname + search, status: response.status, headers });
      return response;
    },
  });
  return { client, calls, statuses: () => calls.map(({ status }) => status) };
}

export type Scripted = Response | Error | 'hang';

/** Answers of a service that is not there: each call gets the next one, the last one again and again. */
export function scripted(...answers: readonly Scripted[]) {
  const urls: string[] = [];
  const answer = (url: string, init: RequestInit): Promise<Response> => {
    const next = answers[Math.min(urls.length, answers.length - 1)];
    urls.push(url);
    if (next === 'hang') {
      return new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(new Error('aborted'))));
    }
    return next instanceof Response ? Promise.resolve(next.clone()) : Promise.reject(next ?? new Error('none'));
  };
  return { fetch: answer, urls };
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
