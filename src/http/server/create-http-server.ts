import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionLoss } from '../../observability/metrics';
import type { RateLimiter } from '../../rate-limit/rate-limiter';
import type { EndedRequest } from '../http-dependencies';
import { holdBytes } from '../request/buffered-bytes';
import { toOriginForm } from '../routes';
import { createMalformedHandler } from './answer-malformed';
import type { Draining } from './connections';
import { trackConnections } from './connections';
import { guardConnections } from './guard-connections';
import type { MessageClasses } from './message-classes';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What a request takes that waits: 1.4 kB without headers. */
const bytesOfWaiting = 2 * 1024;
/** Fewer are bounded by the number of connections. */
const fewWaiting = 8;

/**
 * Handles the requests of one connection sequentially, as their responses have to be sent in order anyway (RFC 9112
 * 9.3.2). node:http starts all that have arrived at once, and a connection can send thousands in one packet
 * (pipelining). While requests wait, no more are read from the connection; those that were count as memory that the
 * caller holds.
 */
function takeTurns(handle: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  return (request, response) => {
    const { socket } = request;
    let line = lines.get(socket);
    if (line === undefined) lines.set(socket, (line = new Line(socket, handle)));
    line.add({ request, response });
  };
}

/** The requests of one connection. */
class Line {
  readonly #waiting: Exchange[] = [];
  #isBusy = false;
  #isHeld = false;
  #counted = fewWaiting;
  #release = (): void => undefined;

  constructor(
    private readonly socket: Socket,
    private readonly handle: RequestListener,
  ) {
    socket.once('close', () => this.#release());
  }

  add(exchange: Exchange): void {
    if (!this.#isBusy) return this.#begin(exchange);
    this.#waiting.push(exchange);
    this.#hold();
    if (this.#waiting.length >= 2 * this.#counted) this.#count(exchange);
  }

  /** Not for each request: when twice as many wait as were counted. */
  #count({ response }: Exchange): void {
    this.#release();
    this.#counted = this.#waiting.length;
    this.#release = holdBytes(response, this.#counted * bytesOfWaiting);
  }

  #begin({ request, response }: Exchange): void {
    this.#isBusy = true;
    response.once('close', this.#advance);
    this.handle(request, response);
  }

  // One function per connection, not per request.
  readonly #advance = (): void => {
    this.#isBusy = false;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    if (this.#waiting.length === 0) {
      this.#release();
      this.#counted = fewWaiting;
    }
    // The previous response may have been the connection's last.
    if (this.socket.writable) this.#begin(next);
    if (this.#waiting.length === 0) this.socket.resume();
  };

  #hold(): void {
    this.socket.pause();
    if (this.#isHeld) return;
    this.#isHeld = true;
    // node:http resumes a connection whenever a body has been read.
    this.socket.on('resume', () => {
      if (this.#waiting.length > 0) this.socket.pause();
    });
  }
}

/** Limits on slow and on greedy clients; the defaults suit production. */
export interface HttpServerOptions {
  readonly rateLimiter: RateLimiter;
  readonly draining: Draining;
  /** The path of PUBLIC_URL. */
  readonly pathPrefix?: string;
  readonly messageClasses?: MessageClasses;
  /** Called for bytes that never became a request; the application reports all other requests. */
  readonly onRequestEnded?: (request: EndedRequest) => void;
  readonly headersTimeoutMilliseconds?: number;
  readonly requestTimeoutMilliseconds?: number;
  readonly keepAliveTimeoutMilliseconds?: number;
  readonly windowMilliseconds?: number;
  readonly maximumConnections?: number;
  /** Called for each connection that was refused or ended. */
  readonly onConnectionLost?: (loss: ConnectionLoss) => void;
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
  const server = createServer({
    ...options.messageClasses,
    maxHeaderSize: 16_384,
    headersTimeout: options.headersTimeoutMilliseconds ?? 10_000,
    requestTimeout: options.requestTimeoutMilliseconds ?? 30_000,
    // Longer than the idle time of common load balancers, so that they close first and never use a closed connection.
    keepAliveTimeout: options.keepAliveTimeoutMilliseconds ?? 75_000,
    connectionsCheckingInterval: 1000,
    // The application answers these with our own body: see check-request.ts.
    requireHostHeader: false,
  });
  const connections = trackConnections(server, draining.isOn);
  const answerMalformed = createMalformedHandler({
    rateLimiter,
    connections,
    pathPrefix,
    onRequestEnded: options.onRequestEnded ?? (() => undefined),
  });
  guardConnections(server, {
    maximumConnections: options.maximumConnections ?? 10_000,
    windowMilliseconds: options.windowMilliseconds,
    latestOn: connections.latestOn,
    onLoss: options.onConnectionLost,
  });
  let app: RequestListener | undefined;
  const handle = takeTurns((request, response) => {
    request.url = toOriginForm(request.url ?? '/', pathPrefix);
    app?.(request, response);
  });
  server.on('request', handle);
  server.on('checkExpectation', handle);
  // Asked for a body by readBody, once nothing else is wrong; node:http closes the connection where it is not.
  server.on('checkContinue', handle);
  server.on('clientError', answerMalformed);
  const tunnel = Object.assign(new Error('CONNECT is for proxies'), {
    code: 'HPE_INVALID_METHOD',
    rawPacket: Buffer.from('CONNECT * HTTP/1.1\r\n'),
  });
  server.on('connect', (_request, socket) => answerMalformed(tunnel, socket));

  return {
    server,
    serve(given) {
      app = given;
    },
    async drain(deadlineMilliseconds, drainDelayMilliseconds = 0) {
      draining.start();
      connections.endAfterResponse();
      if (drainDelayMilliseconds > 0) await delay(drainDelayMilliseconds);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      draining.close();
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
