import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { ApiError } from '../../errors/api-error';
import { findOperation, setTimedOut } from './request';
import type { HttpCore } from '../http-dependencies';
import type { RunningOperation } from './request';
import { findRoute, routes } from '../routes';

/**
 * Responds with 503 to a request that has no answer in time. Every statement has a limit of its own, but a request runs
 * several sequentially; this bounds their sum. What the handlers produce later is discarded, and the statements of an
 * operation are canceled.
 *
 * An operation that may query other subgraphs has their time in addition, and then responds with what it has: late data
 * costs its own fields, not the answer (docs/decisions.md 20).
 */
export function answerInTime(
  { requestTimeoutMilliseconds: milliseconds, subgraphTimeoutMilliseconds }: HttpCore,
  answerError: ErrorRequestHandler,
): RequestHandler {
  const clock = createEventLoopClock();
  return (request, response, next) => {
    const startedAt = clock.start();
    let limit = milliseconds + (findRoute(request.originalUrl)?.waitMilliseconds ?? 0);
    let timer: NodeJS.Timeout;
    const arm = (delay: number): void => {
      timer = setTimeout(onTimeout, delay);
    };
    const onTimeout = (): void => {
      if (response.headersSent) return;
      const left = startedAt + limit - clock.read();
      if (left > tickMilliseconds) return arm(left);
      // A body that arrives slowly is the client's fault; the server's own time limit for requests ends that.
      if (!request.complete) return arm(milliseconds);
      const operation = subgraphTimeoutMilliseconds === undefined ? undefined : findGatewayOperation(request, response);
      if (operation === undefined || operation.endReason !== undefined)
        return answerTimeout(request, response, answerError);
      // The subgraphs' time comes first; after it the operation is ended, with a short time left to respond.
      const isOver = limit > milliseconds;
      if (isOver) operation.end(createTimeout());
      const extension = isOver ? milliseconds : (subgraphTimeoutMilliseconds ?? 0);
      limit += extension;
      arm(extension);
    };
    arm(limit);
    response.once('close', () => {
      clearTimeout(timer);
      clock.stop();
    });
    next();
  };
}

const tickMilliseconds = 50;

/**
 * Measures the time during which this process was scheduled. On a machine that is short of CPU the answer may be in the
 * socket already while wall-clock time passes; no request is refused for that. It ticks while a request is in progress:
 * each start is to be followed by a stop.
 */
function createEventLoopClock() {
  let time = 0;
  let running = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    read: () => time,
    start(): number {
      running += 1;
      timer ??= setInterval(() => (time += tickMilliseconds), tickMilliseconds).unref();
      return time;
    },
    stop(): void {
      running -= 1;
      if (running > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}

function answerTimeout(request: Request, response: Response, answerError: ErrorRequestHandler): void {
  const error = createTimeout();
  setTimedOut(response, error);
  findOperation(response)?.end(error);
  void answerError(error, request, response, () => undefined);
}

const createTimeout = (): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', 'The request timed out. Try again in a moment.', {
    headers: { 'Retry-After': '1' },
  });

const findGatewayOperation = (request: Request, response: Response): RunningOperation | undefined =>
  findRoute(request.originalUrl) === routes.graphql ? findOperation(response) : undefined;
