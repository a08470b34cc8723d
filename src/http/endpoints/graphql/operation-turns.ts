import type { Request, RequestHandler, Response } from 'express';
import { ApiError } from '../../../errors/api-error';
import type { QueueEntry } from '../../../common/fair-queue';
import { FairQueue, startAfterYield } from '../../../common/fair-queue';
import { findPrincipal, onHandOver } from '../../request/request';
import { readGraphqlBody } from './graphql-body';

/**
 * GraphQL operations of one shop that may be in progress at once, from their document until their answer is made. From
 * then on it is counted by its bytes (src/http/request/buffered-bytes.ts), so a client that reads slowly keeps no slot.
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
 * Waits until an operation may start. It ends when its answer is made, or when the client disconnects.
 * @returns false when it need not start: it was answered with 503 meanwhile (answer-in-time.ts), or the client has left
 * @throws ApiError SERVICE_UNAVAILABLE when too many wait
 */
export type TakeTurn = (request: Request, response: Response) => Promise<boolean>;

/**
 * Schedules operations round robin over shops (docs/decisions.md 40): those of /graphql, calls of tools, and first
 * pages of changes.
 */
export function createOperationTurns({
  slots = operationsInProgress,
  slotsPerQueue = operationsPerShop,
  nameOf = (_: Request, response: Response) => findPrincipal(response)?.shop.id ?? nameWithoutShop,
} = {}): TakeTurn {
  const queue = new FairQueue({ slots, slotsPerQueue, reservedSlots: 0, size: operationsWaiting });

  return (request, response) =>
    new Promise((resolve, reject) => {
      if (response.closed) return resolve(false);
      const name = nameOf(request, response);
      let hasStarted = false;
      const proceed = (): void => resolve(!response.headersSent && !response.closed);
      const entry: QueueEntry = {
        start: () => {
          hasStarted = true;
          if (isLong(request)) startAfterYield(name, proceed);
          else proceed();
        },
        refuse: () =>
          reject(
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
        else {
          queue.withdraw(name, entry);
          resolve(false);
        }
      };
      onHandOver(response, leave);
      response.once('close', leave);
      queue.enter(name, entry);
    });
}

/** Operations start when it is their turn. */
export const operationInTurn =
  (takeTurn: TakeTurn): RequestHandler =>
  async (request, response, next) => {
    // Before the operation enters the queue: a body that arrives slowly would hold a slot while others wait.
    await readGraphqlBody(request);
    if (await takeTurn(request, response)) next();
  };

function isLong({ headers, originalUrl }: Request): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  return originalUrl.length + Number(headers['content-length'] ?? 0) > longRequestBytes;
}
