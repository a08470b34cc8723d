import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionLoss } from '../../observability/metrics';
import type { RateLimiter } from '../../rate-limit/rate-limiter';
import { createMalformedHandler } from './answer-malformed';
import { trackConnections } from './connections';
import type { Draining } from './draining';
import { guardConnections } from './guard-connections';
import type { EndedRequest } from '../http-dependencies';
import type { MessageClasses } from './message-classes';
import { toOriginForm } from './origin-form';
import { takeTurns } from './take-turns';

/** Limits on slow and on greedy clients; the defaults suit production. */
export interface HttpServerOptions {
  readonly rateLimiter: RateLimiter;
  readonly draining: Draining;
  readonly messageClasses?: MessageClasses;
  /** Told of what never became a request; of the others the application tells. */
  readonly onRequestEnded?: (request: EndedRequest) => void;
  readonly headersTimeoutMilliseconds?: number;
  readonly requestTimeoutMilliseconds?: number;
  readonly keepAliveTimeoutMilliseconds?: number;
  readonly stallMilliseconds?: number;
  readonly maximumConnections?: number;
  /** Called for each connection that was refused or cut off. */
  readonly onConnectionLost?: (loss: ConnectionLoss) => void;
}

export interface HttpServer {
  readonly server: Server;
  /**
   * First gives notice: readiness is off and every response is its connection's last, but requests are still taken, because whoever
   * sends them learns of it only now. Then takes no more connections, lets the requests under way finish, and cuts whatever is left
   * at the deadline. Resolves when every connection is closed.
   */
  drain(deadlineMilliseconds: number, drainDelayMilliseconds?: number): Promise<void>;
}

const sweepMilliseconds = 50;

/** node:http around the application, with an answer of ours to everything that node:http would answer itself. */
export function createHttpServer(app: RequestListener, options: HttpServerOptions): HttpServer {
  const { rateLimiter, draining } = options;
  const server = createServer({
    ...options.messageClasses,
    maxHeaderSize: 16_384,
    headersTimeout: options.headersTimeoutMilliseconds ?? 10_000,
    requestTimeout: options.requestTimeoutMilliseconds ?? 30_000,
    // Longer than the idle time of usual load balancers, so that they close first and never meet a closed connection.
    keepAliveTimeout: options.keepAliveTimeoutMilliseconds ?? 75_000,
    connectionsCheckingInterval: 1000,
    // The application answers these with a body of ours: see check-request.ts.
    requireHostHeader: false,
  });
  const connections = trackConnections(server, draining.isOn);
  const answerMalformed = createMalformedHandler(rateLimiter, connections, options.onRequestEnded ?? (() => undefined));
  guardConnections(server, {
    maximumConnections: options.maximumConnections ?? 10_000,
    stallMilliseconds: options.stallMilliseconds,
    isBusy: connections.isBusy,
    onLoss: options.onConnectionLost,
  });
  const handle = takeTurns((request, response) => {
    request.url = toOriginForm(request.url ?? '/');
    app(request, response);
  });
  server.on('request', handle);
  server.on('checkExpectation', handle);
  server.on('clientError', answerMalformed);
  server.on('connect', (_request, socket) => answerMalformed(new Error('CONNECT is for proxies'), socket));

  return {
    server,
    async drain(deadlineMilliseconds, drainDelayMilliseconds = 0) {
      draining.start();
      connections.endAfterResponse();
      if (drainDelayMilliseconds > 0) await delay(drainDelayMilliseconds);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A connection whose response began before goes idle without a word to its client; only sweeping ends it.
      const sweep = setInterval(() => server.closeIdleConnections(), sweepMilliseconds);
      const deadline = setTimeout(() => server.closeAllConnections(), deadlineMilliseconds);
      await closed;
      clearInterval(sweep);
      clearTimeout(deadline);
    },
  };
}
