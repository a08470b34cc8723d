import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { ApiError } from '../errors/api-error';
import { setTimedOut } from './admission';
import type { HttpDependencies } from './http-dependencies';
import { surfaceOf } from './surface';

/**
 * Answers 503 for a request that has no answer in time. Every statement has a limit of its own, but a request makes several, one after
 * the other; this bounds their sum. What the handlers bring later is thrown away.
 */
export function answerInTime(
  { requestTimeoutMilliseconds: milliseconds, asksSubgraphs }: HttpDependencies,
  answerError: ErrorRequestHandler,
): RequestHandler {
  const readTurningTime = createTurningClock();
  return (request, response, next) => {
    // A slow subgraph costs its own fields, not the answer.
    if (asksSubgraphs && surfaceOf(request.originalUrl) === 'graphql') return next();
    const startedAt = readTurningTime();
    let timer: NodeJS.Timeout;
    const arm = (delay: number): void => {
      timer = setTimeout(giveUp, delay);
    };
    const giveUp = (): void => {
      if (response.headersSent) return;
      const left = startedAt + milliseconds - readTurningTime();
      if (left > tickMilliseconds) return arm(left);
      // A body that drips in is the client's doing; the server's own limit for requests ends that.
      if (!request.complete) return arm(milliseconds);
      answerTimeout(request, response, answerError);
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
  const error = new ApiError(
    'SERVICE_UNAVAILABLE',
    'The service cannot answer in time right now. Try again in a moment.',
    { headers: { 'Retry-After': '1' } },
  );
  setTimedOut(response, error);
  void answerError(error, request, response, () => undefined);
}
