import type { Principal } from '../auth/principal';
import { createAnswerCache } from './answer-cache';
import type { EntityTagger } from './entity-tag';

/** A complete response to a GraphQL request, as it was sent. */
export interface CachedResponse {
  readonly contentType: string;
  readonly body: Buffer;
  /** The cost of its operation, counted again for each request. */
  readonly cost: number;
}

/** Everything that a response is a function of besides its caller and the program, such as the body of the request. */
export type RequestParts = readonly (string | undefined)[];

/** Short responses to requests that repeat an earlier one byte by byte: a poll of the change feed, above all. */
export interface ResponseCache {
  /** The response to the same request of a caller with the same rights, if the shop's data has not changed since. */
  find(principal: Principal, request: RequestParts): CachedResponse | undefined;
  /** Offers a response without errors; it is cached from the second time on (answer-cache.ts). */
  offer(principal: Principal, dataVersion: string, request: RequestParts, response: CachedResponse): void;
  /** The memory that all responses take now. */
  countBytes(): number;
}

const totalBytes = 16 * 1024 * 1024;
const bytesPerShop = 1024 * 1024;

/**
 * Such a request needs neither a parsed body nor Apollo Server, which together cost more than all the rest of a short
 * answer (docs/decisions.md 121).
 */
export function createResponseCache(entityTagFor: EntityTagger): ResponseCache {
  const responses = createAnswerCache<CachedResponse>(totalBytes, bytesPerShop, ({ body }) => body.length);
  const keyOf = (principal: Principal, dataVersion: string, request: RequestParts): string =>
    entityTagFor(principal, dataVersion, 'response', request);

  return {
    find: (principal, request) => responses.get(principal.shop.id, keyOf(principal, principal.dataVersion, request)),
    offer(principal, dataVersion, request, response) {
      const shopId = principal.shop.id;
      responses.set({ shopId, dataVersion }, keyOf(principal, dataVersion, request), response);
    },
    countBytes: responses.countBytes,
  };
}
