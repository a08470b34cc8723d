import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Handles the requests of one connection sequentially, as their responses have to be sent in order anyway (RFC 9112
 * 9.3.2). node:http starts all that have arrived at once, and a connection can send thousands in one packet
 * (pipelining). While requests wait, no more are read from the connection.
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

  constructor(
    private readonly socket: Socket,
    private readonly handle: RequestListener,
  ) {}

  add(exchange: Exchange): void {
    if (!this.#isBusy) return this.#begin(exchange);
    this.#waiting.push(exchange);
    this.#hold();
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
