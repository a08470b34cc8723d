import type { Request, RequestHandler, Response } from 'express';
import { ApiError } from '../../../errors/api-error';
import type { QueueEntry } from '../../../common/fair-turns';
import { FairQueue, startInOwnTurn } from '../../../common/fair-turns';
import { findPrincipal, onHandOver } from '../../request/request-state';
import { readGraphqlBody } from './graphql-body';

/**
 * GraphQL operations of one shop that may be in progress at once, from their document until their answer is made. From
 * then on it is counted by its bytes (src/http/request/held-bytes.ts), so a client that reads slowly keeps no slot.
 */
export const operationsPerShop = 8;

const operationsInProgress = 64;
const operationsWaiting = 1_000;

/**
 * Parsing a longer one takes milliseconds: such requests start one per turn of the event loop, so that others run in
 * between.
 */
const longRequestBytes = 1_024;

/** Operations that need no credential (D26) share one name, like the operations of one shop. */
const nameWithoutShop = 'no shop';

/**
 * Schedules GraphQL operations round robin over shops (docs/decisions.md 40). An operation that waits longer than a
 * request may take is answered by answer-in-time.ts.
 */
export function createOperationTurns({
  slots = operationsInProgress,
  slotsPerQueue = operationsPerShop,
  nameOf = (_: Request, response: Response) => findPrincipal(response)?.shop.id ?? nameWithoutShop,
} = {}): RequestHandler {
  const queue = new FairQueue({ slots, slotsPerQueue, reservedSlots: 0, size: operationsWaiting });

  return async (request, response, next) => {
    // Before the operation enters the queue: a body that arrives slowly would hold a slot while others wait.
    await readGraphqlBody(request);
    if (response.closed) return;
    const name = nameOf(request, response);
    let hasStarted = false;
    const proceed = (): void => {
      // Answered with 503 meanwhile (answer-in-time.ts), or the client disconnected.
      if (!response.headersSent && !response.closed) next();
    };
    const entry: QueueEntry = {
      start: () => {
        hasStarted = true;
        if (isLong(request)) startInOwnTurn(name, proceed);
        else proceed();
      },
      refuse: () =>
        next(
          new ApiError('SERVICE_UNAVAILABLE', 'Too many operations are waiting. Try again in a moment.', {
            headers: { 'Retry-After': '1' },
          }),
        ),
    };
    let hasLeft = false;
    const leave = (): void => {
      if (hasLeft) return;
      hasLeft = true;
      if (hasStarted) queue.leave(name);
      else queue.withdraw(name, entry);
    };
    onHandOver(response, leave);
    response.once('close', leave);
    queue.enter(name, entry);
  };
}

function isLong({ headers, originalUrl }: Request): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  return originalUrl.length + Number(headers['content-length'] ?? 0) > longRequestBytes;
}
