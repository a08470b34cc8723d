import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { isIP } from 'node:net';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Clock } from '../common/clock';
import type { BucketKind } from '../observability/metrics';

/** One bucket per key: the API key and every token issued for it share the bucket, over both surfaces (D18). */
export const keyBucket = ({ shop, clientId }: { shop: { id: string }; clientId: string }): string =>
  `key:${shop.id}:${clientId}`;

/** The bucket of an IP address, for rejected credentials and public documents (D19). */
export const addressBucket = (address: string | undefined): string => `ip:${toAddressGroup(address)}`;

/** The bucket of failed authentications at the token endpoint, separate from the API's own buckets (D13). */
export const tokenBucket = (address: string | undefined): string => `token:${toAddressGroup(address)}`;

/**
 * The owner of one IPv6 address has the 2^64 addresses of its network, so the network is counted. An IPv4 address is
 * the same whether a socket reports it plainly or mapped into IPv6 (RFC 4291 2.5.5.2).
 */
function toAddressGroup(address = ''): string {
  const [plain = ''] = withoutPort(address).split('%');
  // The parser also accepts short forms such as 127.1.
  if (isIP(plain) === 0) return 'unknown';
  const parsed = ipaddr.process(plain);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/** Some proxies write the port into X-Forwarded-For, and some quote an address as Forwarded does (RFC 7239 6). */
function withoutPort(address: string): string {
  const { v4, v6 } = /^"?(?:(?<v4>[\d.]+)(?::\d+)?|\[(?<v6>[^\]]+)\](?::\d+)?)"?$/.exec(address.trim())?.groups ?? {};
  return v4 ?? v6 ?? address.trim().replace(/^"(.*)"$/, '$1');
}

/** Beyond this number of addresses, the oldest are dropped, and their calls query the store again. */
const maximumBuckets = 10_000;

/**
 * Whether this process has seen the bucket empty and its window has not ended. Does not query the store. The name is
 * passed as a function because it is seldom needed.
 */
export type IsSpent = (nameBucket: () => string) => boolean;

/** Wraps the limiter to remember which buckets of addresses are spent. Buckets of keys are not remembered. */
export function watchSpentBuckets(
  rateLimiter: RateLimiter,
  clock: Clock = Date.now,
): { readonly rateLimiter: RateLimiter; readonly isSpent: IsSpent } {
  const windowEnds = new LRUCache<string, number>({ max: maximumBuckets });
  let latestEnd = -Infinity;
  return {
    rateLimiter: {
      limit: rateLimiter.limit,
      async consume(bucket) {
        const decision = await rateLimiter.consume(bucket);
        if (decision.remaining === 0 && !bucket.startsWith('key:')) {
          // The seconds were rounded up, and a window that has ended must not count as open.
          const end = clock() + (decision.resetSeconds - 1) * 1000;
          windowEnds.set(bucket, end);
          latestEnd = Math.max(latestEnd, end);
        }
        return decision;
      },
    },
    isSpent(nameBucket) {
      const now = clock();
      return now < latestEnd && now < (windowEnds.get(nameBucket()) ?? -Infinity);
    },
  };
}

/** The state of a bucket after a call was counted. */
export interface RateLimitDecision {
  readonly admitted: boolean;
  /** Calls allowed per window. */
  readonly limit: number;
  /** Calls left in this window, never below 0. */
  readonly remaining: number;
  /** Whole seconds until the window ends, rounded up, at least 1: waiting this long always succeeds (D18). */
  readonly resetSeconds: number;
}

/** Counts calls in buckets of 60 seconds. Never rejects: a broken store degrades and does not fail a request (D20). */
export interface RateLimiter {
  /** Calls allowed per window, in every bucket. */
  readonly limit: number;
  /** Counts one call. A refused call does not extend the window. */
  consume(bucket: string): Promise<RateLimitDecision>;
}

/** Admits every call. */
export const noRateLimit: RateLimiter = {
  limit: Infinity,
  consume: () => Promise.resolve(toUnusedWindow(Infinity)),
};

/** Length of a window in seconds (D18). */
export const windowSeconds = 60;

/** State of a bucket in its store. `millisecondsLeft`: until the window that its first call opened ends. */
export interface BucketState {
  readonly consumed: number;
  readonly millisecondsLeft: number;
}

/** The decision for a counted call, which `consumed` includes. */
export const toCountedDecision = (points: number, state: BucketState): RateLimitDecision =>
  toDecision(points, state, state.consumed <= points);

/** The decision for a call that counts against no bucket: an unused window (D19). */
export const toUnusedWindow = (points: number): RateLimitDecision =>
  toDecision(points, { consumed: 0, millisecondsLeft: windowSeconds * 1000 }, true);

// Rounded up: a client that waits the announced whole seconds must find the window closed (D18).
const toDecision = (points: number, state: BucketState, admitted: boolean): RateLimitDecision => ({
  admitted,
  limit: points,
  remaining: Math.max(points - state.consumed, 0),
  resetSeconds: Math.max(Math.ceil(state.millisecondsLeft / 1000), 1),
});

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

interface MemoryRateLimiter extends RateLimiter {
  /** Counts several calls of each bucket. @returns the state of each bucket afterwards, in their order */
  readonly count: (calls: readonly (readonly [bucket: string, calls: number])[]) => Promise<BucketState[]>;
}

/** Buckets of this process alone. Each one is dropped when its window ends. */
export function createMemoryRateLimiter({ points }: { points: number }): MemoryRateLimiter {
  const store = new RateLimiterMemory({ points, duration: windowSeconds });
  return {
    limit: points,
    consume: async (bucket) => toCountedDecision(points, await toBucketState(store.consume(bucket))),
    count: (calls) => Promise.all(calls.map(([bucket, number]) => toBucketState(store.consume(bucket, number)))),
  };
}

/** Reports every counted call by the kind of its bucket, never by the bucket's name. */
export const countDecisions = (
  rateLimiter: RateLimiter,
  onDecision: (bucket: BucketKind, admitted: boolean) => void,
): RateLimiter => ({
  limit: rateLimiter.limit,
  async consume(bucket) {
    const decision = await rateLimiter.consume(bucket);
    onDecision(bucket.startsWith('key:') ? 'key' : bucket.startsWith('ip:') ? 'ip' : 'token', decision.admitted);
    return decision;
  },
});

/**
 * The headers of every response (D19): the specification's, and those of draft-ietf-httpapi-ratelimit-headers-11. A
 * refused call also gets the time to wait (D18).
 * @param policy whose bucket it is
 */
export function rateLimitHeaders(
  { admitted, limit, remaining, resetSeconds }: RateLimitDecision,
  policy: 'key' | 'address',
): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
    'RateLimit-Policy': `"${policy}";q=${limit};w=${windowSeconds}`,
    RateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
    ...(admitted ? {} : { 'Retry-After': String(resetSeconds) }),
  };
}
