import type { Request, RequestHandler, Response } from 'express';
import type { CacheableOperation } from '../../../graph/graphql-context';
import { costReportHeader } from '../../../graph/limits/cost-report';
import type { RequestParts, ResponseCache } from '../../../graph/response-cache';
import { findPrincipal } from '../../request/request-state';
import { minimumEncodedBytes } from '../../response/content-encoding';
import { send } from '../../response/send';
import { readGraphqlBytes } from './graphql-body';

/** As putGraphqlHeaders sets them (graphql.ts). */
const headerLines = ['Cache-Control', 'private, no-store', 'Vary', 'Authorization, Accept-Encoding'];

/** Bodies of polls and small queries; of longer ones, hashing would cost what it saves. */
const maximumRequestBytes = 8 * 1024;

export interface RepeatedRequests {
  /** Responds to a request that repeats an earlier one; passes all others on. */
  readonly answer: RequestHandler;
  /** Offers the response to a request that `answer` passed on, just before it is sent. */
  offer(request: Request, response: Response, operation: CacheableOperation, body: readonly Buffer[]): void;
}

/**
 * Responds from the cache of responses (graph/response-cache.ts), after the access steps and before anything is parsed.
 * Responses long enough to be compressed are not cached.
 * @param onRepeated Called for each such request with the cost of its operation.
 */
export function createRepeatedRequests(responses: ResponseCache, onRepeated: (cost: number) => void): RepeatedRequests {
  const repeatable = new WeakMap<Request, RequestParts>();

  return {
    async answer(request, response, next) {
      const principal = findPrincipal(response);
      const body = request.method === 'POST' ? await readGraphqlBytes(request) : undefined;
      if (principal === undefined || (body?.length ?? 0) > maximumRequestBytes) return next();
      const parts = toParts(request, body);
      const known = responses.find(principal, parts);
      if (known === undefined) {
        repeatable.set(request, parts);
        return next();
      }
      // Answered with 503 while its body arrived (answer-in-time.ts), or the client disconnected.
      if (response.headersSent || response.closed) return;
      onRepeated(known.cost);
      send(response, 200, headerLines, known.body, known.contentType);
    },
    offer(request, response, { dataVersion, cost }, pieces) {
      const principal = findPrincipal(response);
      const parts = repeatable.get(request);
      if (principal === undefined || parts === undefined || dataVersion === undefined || cost === undefined) return;
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
      if (response.statusCode !== 200 || length >= minimumEncodedBytes) return;
      responses.offer(principal, dataVersion, parts, {
        contentType: String(response.getHeader('Content-Type')),
        body: Buffer.concat(pieces, length),
        cost,
      });
    },
  };
}

/** Everything in a request that its answer may depend on, besides the caller. Before a handler changes it. */
const toParts = ({ headers, originalUrl }: Request, body: Buffer | undefined): RequestParts => [
  originalUrl,
  headers.accept,
  headers['content-type'],
  headers[costReportHeader]?.toString(),
  // One character for each byte: texts differ wherever bytes do.
  body?.toString('latin1'),
];
