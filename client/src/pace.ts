import type { Clock } from './clock.ts';
import { CatalogError } from './errors.ts';

/**
 * The rate limit of one key, as reported by its responses. Shared by all clients of the key in this process, so that a
 * limit seen by one slows them all down.
 */
export interface Pace {
  /**
   * Waits until a request may be sent, and counts it.
   * @param budget milliseconds that may be waited
   * @returns milliseconds waited
   */
  admit(budget: number, signal?: AbortSignal): Promise<number>;
  /** Updates the window from the headers of a response. */
  observe(headers: Headers): void;
  /** Pauses all requests after a 429. */
  block(milliseconds: number): void;
}

interface PaceParts {
  readonly clock: Clock;
  /** Returns a number from 0 to below 1. */
  readonly random: () => number;
}

export function createPace({ clock, random }: PaceParts): Pace {
  let limit = Infinity;
  let remaining = Infinity;
  let resetsAt = -Infinity;

  /** Jitter that spreads clients with the same wait, including those in other processes. */
  const jitter = (wait: number): number => random() * Math.max(250, wait / 10);

  return {
    async admit(budget, signal) {
      let waited = 0;
      for (;;) {
        const wait = resetsAt - clock.now();
        if (wait <= 0) {
          remaining = limit;
          // Until a response shows when the new window ends.
          resetsAt = Infinity;
        }
        // More concurrent calls than the window allows: only a response can show when it ends.
        if (remaining > 0 || resetsAt === Infinity) {
          remaining -= 1;
          return waited;
        }
        if (waited + wait > budget) {
          throw new CatalogError(
            'RATE_LIMITED',
            `The rate limit allows the next request in ${Math.ceil(wait / 1000)} s, but this call can wait only ${Math.max(0, Math.floor((budget - waited) / 1000))} s more (waitBudgetMs). Try again later, or raise the budget.`,
            { retryAfterMs: wait },
          );
        }
        const rest = wait + jitter(wait);
        await clock.sleep(rest, signal);
        waited += rest;
      }
    },

    observe(headers) {
      // The window of the address, which others may share: that of the response to a refused credential.
      if (headers.get('RateLimit-Policy')?.startsWith('"address"')) return;
      const [size, left, reset] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'].map((name) =>
        Number(headers.get(name) ?? NaN),
      ) as [number, number, number];
      if (Number.isNaN(size + left + reset)) return;
      const end = clock.now() + reset * 1000;
      // Responses have whole seconds and arrive out of order: the end of the same window may vary slightly.
      const isSameWindow = resetsAt !== Infinity && Math.abs(end - resetsAt) < 2000;
      limit = size;
      remaining = isSameWindow || resetsAt === Infinity ? Math.min(remaining, left) : left;
      resetsAt = isSameWindow ? Math.max(resetsAt, end) : end;
    },

    block(milliseconds) {
      remaining = 0;
      resetsAt = Math.max(resetsAt === Infinity ? 0 : resetsAt, clock.now() + milliseconds);
    },
  };
}

const paces = new WeakMap<Clock, Map<string, Pace>>();

/** The pace of each key, by its public name. */
export function sharePace(name: string, parts: PaceParts): Pace {
  const ofClock = paces.get(parts.clock) ?? new Map<string, Pace>();
  paces.set(parts.clock, ofClock);
  const pace = ofClock.get(name) ?? createPace(parts);
  ofClock.set(name, pace);
  return pace;
}
