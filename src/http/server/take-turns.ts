import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { holdBytes } from '../request/held-bytes';

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
export function takeTurns(handle: RequestListener): RequestListener {
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
