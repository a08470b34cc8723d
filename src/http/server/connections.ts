import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { holdBytes } from '../request/buffered-bytes';
import { toOriginForm } from '../routes';

/** The shutdown of the process, for readiness, the server and everything that waits for events. */
export const createDraining = () => ({
  isOn: false,
  /** Aborted once no more connections are accepted. */
  closing: new AbortController(),
});

export type Draining = ReturnType<typeof createDraining>;

/** A request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** When the request's headers had arrived, in the time of performance.now(). */
  readonly begunAt: number;
}

/** The open connections of a server. */
export interface Connections {
  readonly handle: RequestListener;
  /** Sets the application. */
  readonly serve: (app: RequestListener) => void;
  /** The latest exchange of a connection. */
  latestOn(socket: Duplex): Exchange | undefined;
  /** Makes responses that have not begun yet the last of their connections. */
  endAfterResponse(): void;
}

/** Memory of a waiting request: 1.4 kB without headers. */
const bytesOfWaiting = 2 * 1024;
/** Fewer are bounded by the number of connections. */
const fewWaiting = 8;

/**
 * Handles the requests of one connection sequentially, as their responses have to be sent in order anyway (RFC 9112
 * 9.3.2). node:http starts all that have arrived at once, and a connection can send thousands in one packet
 * (pipelining). While requests wait, no more are read from the connection; those that were count as memory that the
 * caller holds.
 */
export function createConnections(pathPrefix: string, draining: Pick<Draining, 'isOn'>): Connections {
  let app: RequestListener | undefined;
  const lines = new Map<Duplex, Line>();
  const begin: RequestListener = (request, response) => {
    request.url = toOriginForm(request.url ?? '/', pathPrefix);
    app?.(request, response);
  };
  return {
    handle(request, response) {
      const { socket } = request;
      if (draining.isOn) response.shouldKeepAlive = false;
      let line = lines.get(socket);
      if (line === undefined) {
        lines.set(socket, (line = new Line(socket, begin)));
        socket.on('close', () => lines.delete(socket));
      }
      line.add({ request, response, begunAt: performance.now() });
    },
    serve: (given) => (app = given),
    latestOn: (socket) => lines.get(socket)?.latest,
    endAfterResponse() {
      for (const { latest } of lines.values())
        if (latest?.response.headersSent === false) latest.response.shouldKeepAlive = false;
    },
  };
}

/** The requests of one connection. */
class Line {
  latest: Exchange | undefined;
  readonly #waiting: Exchange[] = [];
  #isBusy = false;
  #isHeld = false;
  #counted = fewWaiting;
  #release = (): void => undefined;

  constructor(
    private readonly socket: Socket,
    private readonly handle: RequestListener,
  ) {
    socket.on('close', () => this.#release());
  }

  add(served: Exchange): void {
    this.latest = served;
    if (!this.#isBusy) return this.#begin(served);
    this.#waiting.push(served);
    this.#hold();
    if (this.#waiting.length >= 2 * this.#counted) this.#count(served);
  }

  /** Only when twice as many wait as were counted, not for each request. */
  #count({ response }: Exchange): void {
    this.#release();
    this.#counted = this.#waiting.length;
    this.#release = holdBytes(response, this.#counted * bytesOfWaiting);
  }

  #begin({ request, response }: Exchange): void {
    this.#isBusy = true;
    response.on('close', this.#advance);
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
