import type { Request, RequestHandler } from 'express';
import { ApiError } from '../../../errors/api-error';
import type { Entrant } from '../../../fair-queue';
import { FairQueue } from '../../../fair-queue';
import { startInOwnTurn } from '../../../event-loop-turns';
import { findPrincipal } from '../../request/request-state';
import { readGraphqlBody } from './graphql-body';

/**
 * GraphQL operations of one shop that are under way at once, from their document to the last byte of their answer: that many times the
 * largest answer (src/catalog/answer-size.ts) is what a shop can make this process hold.
 */
export const operationsPerShop = 8;

const operationsUnderWay = 64;
const operationsWaiting = 1_000;

/** Reading a longer one takes milliseconds: such requests begin one in each turn of the event loop, so that others get in between. */
const longRequestBytes = 1_024;

/** Operations that need no credential (D26) take turns as one shop would. */
const laneWithoutShop = 'no shop';

/**
 * Lets GraphQL operations begin in turn by shop (docs/decisions.md 40). One that waits longer than a request may take is answered by
 * answer-in-time.ts.
 */
export function createOperationTurns(): RequestHandler {
  const queue = new FairQueue({
    slots: operationsUnderWay,
    slotsPerLane: operationsPerShop,
    reservedSlots: 0,
    size: operationsWaiting,
  });

  return async (request, response, next) => {
    // Before its turn: a body that drips in would keep others waiting.
    await readGraphqlBody(request);
    if (response.closed) return;
    const lane = findPrincipal(response)?.shop.id ?? laneWithoutShop;
    let hasStarted = false;
    const proceed = (): void => {
      // Given up meanwhile (answer-in-time.ts), or the client is gone.
      if (!response.headersSent && !response.closed) next();
    };
    const entrant: Entrant = {
      start: () => {
        hasStarted = true;
        if (isLong(request)) startInOwnTurn(lane, proceed);
        else proceed();
      },
      refuse: () =>
        next(
          new ApiError('SERVICE_UNAVAILABLE', 'Too many operations wait to be answered. Try again in a moment.', {
            headers: { 'Retry-After': '1' },
          }),
        ),
    };
    response.once('close', () => (hasStarted ? queue.leave(lane) : queue.withdraw(lane, entrant)));
    queue.enter(lane, entrant);
  };
}

function isLong({ headers, originalUrl }: Request): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  return originalUrl.length + Number(headers['content-length'] ?? 0) > longRequestBytes;
}
