import type { CatalogClientOptions, Clock } from '../../client/src/index.ts';
import { createCatalogClient } from '../../client/src/index.ts';

/** A clock, shared by client and service, that jumps to the end of each wait. */
export interface JumpingClock extends Clock {
  /** All waits, in milliseconds. */
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

/** The same for the whole process: its service, rate limiter and tokens share that time. Timers stay real. */
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

/** A request and its response as seen on the network. */
export interface SeenCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
}

/** A client that uses the real fetch and records every request and response. */
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

/** Responses of a stubbed service: each call gets the next one, and the last one is repeated. */
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
