import { RateLimiterRes } from 'rate-limiter-flexible';
import type { BucketState } from './window';

/**
 * Converts the response of a store. A store resolves for an admitted call and rejects for a refused one, with the same
 * kind of response. It also rejects with an Error when it is broken. The two rejections must never be confused.
 * @throws whatever a broken store rejects with
 */
export async function toBucketState(answer: Promise<RateLimiterRes>): Promise<BucketState> {
  const { consumedPoints, msBeforeNext } = await answer.catch((thrown: unknown) => {
    if (thrown instanceof RateLimiterRes) return thrown;
    throw thrown;
  });
  return { consumed: consumedPoints, millisecondsLeft: msBeforeNext };
}
