import { RateLimiterRes } from 'rate-limiter-flexible';
import type { BucketState } from './window';

/**
 * A store resolves for an admitted call and rejects for a refused one, with the same kind of answer; it also rejects
 * when it is broken, with an Error. The two rejections must never be taken for each other.
 * @throws whatever a broken store rejects with
 */
export async function toBucketState(answer: Promise<RateLimiterRes>): Promise<BucketState> {
  const { consumedPoints, msBeforeNext } = await answer.catch((thrown: unknown) => {
    if (thrown instanceof RateLimiterRes) return thrown;
    throw thrown;
  });
  return { consumed: consumedPoints, millisecondsLeft: msBeforeNext };
}
