import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Whether the process is shutting down; shared by readiness, the server and the shutdown itself. */
export interface Draining {
  readonly isOn: () => boolean;
  readonly start: () => void;
  /** Aborted once no more connections are accepted: what waits for something to happen ends. */
  readonly closing: AbortSignal;
  readonly close: () => void;
}

export function createDraining(): Draining {
  let on = false;
  const closing = new AbortController();
  return {
    isOn: () => on,
    start: () => {
      on = true;
    },
    closing: closing.signal,
    close: () => closing.abort(),
  };
}

/** A request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** When the request's headers had arrived, in the time of performance.now(). */
  readonly begunAt: number;
}

/** The open connections of a server and the latest exchange on each. */
export interface Connections {
  latestOn(socket: Duplex): Exchange | undefined;
  /** Makes the responses that have not begun yet the last ones of their connections. */
  endAfterResponse(): void;
}

export function trackConnections(server: Server, isDraining: () => boolean): Connections {
  const latest = new Map<Duplex, Exchange>();
  const track = (request: IncomingMessage, response: ServerResponse): void => {
    latest.set(request.socket, { request, response, begunAt: performance.now() });
    if (isDraining()) response.shouldKeepAlive = false;
  };
  server.on('connection', (socket) => {
    socket.once('close', () => latest.delete(socket));
  });
  server.on('request', track);
  server.on('checkExpectation', track);

  return {
    latestOn: (socket) => latest.get(socket),
    endAfterResponse() {
      for (const { response } of latest.values()) if (!response.headersSent) response.shouldKeepAlive = false;
    },
  };
}
