import type { Timer } from '../timer';
import { wait } from '../timer';
import { TransportError } from './transport-error';

export interface RetryOptions {
  /** How many more times a failed request is sent. */
  readonly retries: number;
  /** 0 ≤ random() < 1 */
  readonly random: () => number;
  readonly timer: Timer;
  readonly signal: AbortSignal;
}

const firstPauseMilliseconds = 50;

/**
 * Sends again what failed on the way, after a pause that doubles and is drawn at random, so that the callers of a subgraph
 * that comes back do not all come back at the same moment.
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  { retries, random, timer, signal }: RetryOptions,
): Promise<Result> {
  for (let tried = 0; ; tried += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      const mayHelp = thrown instanceof TransportError && thrown.isRetryable && tried < retries && !signal.aborted;
      if (!mayHelp) throw thrown;
      await wait(timer, firstPauseMilliseconds * 2 ** tried * (0.5 + random()), signal);
    }
  }
}
