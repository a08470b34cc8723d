import type { Cancellation } from '../../common/cancellation';
import { wait } from '../../common/timer';
import { TransportError } from './transport-error';

interface RetryOptions {
  /** How many more times a failed request is sent. */
  readonly retries: number;
  /** 0 ≤ random() < 1 */
  readonly random: () => number;
  readonly cancellation: Cancellation;
}

const firstPauseMilliseconds = 50;

/**
 * Retries transport failures after a pause that doubles and is randomized, so that the callers of a subgraph that
 * recovers do not all return at the same time.
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  { retries, random, cancellation }: RetryOptions,
): Promise<Result> {
  for (let tried = 0; ; tried += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      const mayHelp =
        thrown instanceof TransportError &&
        thrown.isRetryable &&
        tried < retries &&
        cancellation.endReason === undefined;
      if (!mayHelp) throw thrown;
      await wait(firstPauseMilliseconds * 2 ** tried * (0.5 + random()), cancellation);
    }
  }
}
