import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { ApiError } from '../../errors/api-error';
import { findOperation, setTimedOut } from './request-state';
import type { HttpDependencies } from '../http-dependencies';
import type { RunningOperation } from './running-operation';
import { findRoute, routes } from '../routes';

/**
 * Answers 503 for a request that has no answer in time. Every statement has a limit of its own, but a request makes several, one after
 * the other; this bounds their sum. What the handlers bring later is thrown away, and the statements of an operation are cancelled.
 *
 * An operation that may ask other subgraphs has their time on top, and then answers with what it has: what is late costs its own
 * fields, not the answer (docs/decisions.md 23).
 */
export function answerInTime(
  { requestTimeoutMilliseconds: milliseconds, subgraphTimeoutMilliseconds }: HttpDependencies,
  answerError: ErrorRequestHandler,
): RequestHandler {
  const readTurningTime = createTurningClock();
  return (request, response, next) => {
    const startedAt = readTurningTime();
    let limit = milliseconds;
    let timer: NodeJS.Timeout;
    const arm = (delay: number): void => {
      timer = setTimeout(giveUp, delay);
    };
    const giveUp = (): void => {
      if (response.headersSent) return;
      const left = startedAt + limit - readTurningTime();
      if (left > tickMilliseconds) return arm(left);
      // A body that drips in is the client's doing; the server's own limit for requests ends that.
      if (!request.complete) return arm(milliseconds);
      const operation = subgraphTimeoutMilliseconds === undefined ? undefined : findGatewayOperation(request, response);
      if (operation === undefined || operation.endReason !== undefined)
        return answerTimeout(request, response, answerError);
      // First comes the subgraphs' time; when that is over too, the end and a moment to answer in.
      const isOver = limit > milliseconds;
      if (isOver) operation.end(createTimeout());
      const extension = isOver ? milliseconds : (subgraphTimeoutMilliseconds ?? 0);
      limit += extension;
      arm(extension);
    };
    arm(milliseconds);
    response.once('close', () => clearTimeout(timer));
    next();
  };
}

const tickMilliseconds = 50;

/**
 * Time during which this process got its turns. On a machine that is short of CPU the answer may lie in the socket while the clock
 * on the wall goes on; nobody is refused for that.
 */
function createTurningClock(): () => number {
  let time = 0;
  setInterval(() => (time += tickMilliseconds), tickMilliseconds).unref();
  return () => time;
}

function answerTimeout(request: Request, response: Response, answerError: ErrorRequestHandler): void {
  const error = createTimeout();
  setTimedOut(response, error);
  findOperation(response)?.end(error);
  void answerError(error, request, response, () => undefined);
}

const createTimeout = (): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', 'The service cannot answer in time right now. Try again in a moment.', {
    headers: { 'Retry-After': '1' },
  });

const findGatewayOperation = (request: Request, response: Response): RunningOperation | undefined =>
  findRoute(request.originalUrl) === routes.graphql ? findOperation(response) : undefined;
