import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { isIP } from 'node:net';
import type { Clock } from '../common/clock';
import { systemClock } from '../common/clock';
import type { RateLimiter } from './rate-limiter';

/** One bucket per key: the API key and every token issued for it share the bucket, over both surfaces (D18). */
export const keyBucket = ({ shop, clientId }: { shop: { id: string }; clientId: string }): string =>
  `key:${shop.id}:${clientId}`;

/** Refused credentials, and public documents, count against their address (D19). */
export const addressBucket = (address: string | undefined): string => `ip:${toAddressGroup(address)}`;

/** Failed authentications at the token endpoint, separate from the API's own buckets (D13). */
export const tokenBucket = (address: string | undefined): string => `token:${toAddressGroup(address)}`;

/**
 * The owner of one IPv6 address has the 2^64 addresses of its network, so the network is counted. An IPv4 address is
 * the same whether a socket reports it plainly or mapped into IPv6 (RFC 4291 2.5.5.2).
 */
function toAddressGroup(address = ''): string {
  const [plain = ''] = withoutPort(address).split('%');
  // The parser takes more than addresses: 127.1 too.
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

/** Beyond this number of addresses the oldest ones are dropped. Their calls then cost what they cost before. */
const maximumBuckets = 10_000;

/**
 * Whether this process has seen the bucket empty and its window has not ended. Does not query the store. The name is
 * passed as a function because it is seldom needed.
 */
export type IsSpent = (nameBucket: () => string) => boolean;

/**
 * The limiter, and what is known of the buckets of addresses without querying it. Buckets of keys are not remembered.
 */
export function watchSpentBuckets(
  rateLimiter: RateLimiter,
  clock: Clock = systemClock,
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
      close: () => rateLimiter.close(),
    },
    isSpent(nameBucket) {
      const now = clock();
      return now < latestEnd && now < (windowEnds.get(nameBucket()) ?? -Infinity);
    },
  };
}
