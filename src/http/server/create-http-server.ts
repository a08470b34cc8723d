import type { RequestListener, Server } from 'node:http';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { RateLimiter } from '../../rate-limit/rate-limiter';
import type { EndedRequest } from '../request/request';
import { createMalformedHandler } from './answer-malformed';
import type { Draining } from './connections';
import { createConnections } from './connections';
import type { ConnectionLimits } from './guard-connections';
import { guardConnections } from './guard-connections';
import type { Express } from 'express';

/** Limits on slow and on greedy clients; the defaults suit production. */
export interface HttpServerOptions extends Omit<ConnectionLimits, 'latestOn'> {
  readonly rateLimiter: RateLimiter;
  readonly draining: Draining;
  /** The path of PUBLIC_URL. */
  readonly pathPrefix?: string;
  /** Called for bytes that never became a request; the application reports all other requests. */
  readonly onRequestEnded?: (request: EndedRequest) => void;
  readonly headersTimeoutMilliseconds?: number;
  readonly requestTimeoutMilliseconds?: number;
}

export interface HttpServer {
  readonly server: Server;
  /** Sets the application. Links contain the port, so it is made when that is bound. */
  serve(app: RequestListener): void;
  /**
   * Starts with the drain delay: readiness is off and every response is its connection's last, but requests are still
   * accepted, because load balancers only now learn of it. Then accepts no more connections, lets the requests in
   * flight finish, and ends the remaining ones at the deadline. Resolves when every connection is closed.
   */
  drain(deadlineMilliseconds: number, drainDelayMilliseconds?: number): Promise<void>;
}

const sweepMilliseconds = 50;

/** Runs node:http with the application, and replaces every response that node:http would write itself by ours. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { rateLimiter, draining, pathPrefix = '' } = options;
  const messageClasses = createMessageClasses();
  const server = createServer({
    ...messageClasses,
    maxHeaderSize: 16_384,
    headersTimeout: options.headersTimeoutMilliseconds ?? 10_000,
    requestTimeout: options.requestTimeoutMilliseconds ?? 30_000,
    // Longer than the idle time of common load balancers, so that they close first and never use a closed connection.
    keepAliveTimeout: 75_000,
    connectionsCheckingInterval: 1000,
    // The application answers these with our own body: see request.ts.
    requireHostHeader: false,
  });
  const connections = createConnections(pathPrefix, draining);
  const answerMalformed = createMalformedHandler({
    rateLimiter,
    connections,
    pathPrefix,
    onRequestEnded: options.onRequestEnded ?? (() => undefined),
  });
  guardConnections(server, { ...options, latestOn: connections.latestOn });
  const { handle } = connections;
  server.on('request', handle);
  server.on('checkExpectation', handle);
  // readBody requests the body once nothing else is wrong; otherwise node:http closes the connection.
  server.on('checkContinue', handle);
  server.on('clientError', answerMalformed);
  const tunnel = Object.assign(new Error(), {
    code: 'HPE_INVALID_METHOD',
    reason: 'CONNECT is for proxies',
    rawPacket: Buffer.from('CONNECT * HTTP/1.1\r\n'),
  });
  server.on('connect', (_request, socket) => answerMalformed(tunnel, socket));

  return {
    server,
    serve(app) {
      if ('request' in app) adoptMessages(app as Express, messageClasses);
      connections.serve(app);
    },
    async drain(deadlineMilliseconds, drainDelayMilliseconds = 0) {
      draining.isOn = true;
      connections.endAfterResponse();
      if (drainDelayMilliseconds > 0) await delay(drainDelayMilliseconds);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      draining.closing.abort();
      // A connection whose response had already begun becomes idle without notice to its client; only sweeping closes
      // it.
      const sweep = setInterval(() => server.closeIdleConnections(), sweepMilliseconds);
      const deadline = setTimeout(() => server.closeAllConnections(), deadlineMilliseconds);
      await closed;
      clearInterval(sweep);
      clearTimeout(deadline);
    },
  };
}

/** The classes of the requests and responses of one server. */
interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/** For one server and its one application. */
export const createMessageClasses = (): MessageClasses => ({
  IncomingMessage: class extends IncomingMessage {},
  ServerResponse: class<Request extends IncomingMessage> extends ServerResponse<Request> {},
});

/**
 * Creates messages with the prototypes that Express gives them. Otherwise Express changes the prototype of every
 * message. An object whose prototype changed is slow from then on, and survives until the next major garbage
 * collection: for a small response, four fifths of its objects.
 */
export function adoptMessages(
  app: Express,
  { IncomingMessage: Incoming, ServerResponse: Outgoing }: MessageClasses,
): void {
  app.request = inheritMembers(Incoming.prototype, app.request);
  app.response = inheritMembers(Outgoing.prototype, app.response);
}

/** The class's prototype, with the members of Express's. */
function inheritMembers<Message extends object>(prototype: object, expected: Message): Message {
  Object.setPrototypeOf(prototype, expected);
  return prototype as Message;
}
