import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionLoss } from '../../observability/metrics';

export interface ConnectionLimits {
  /** Connections at once; Node closes those beyond as they come. */
  readonly maximumConnections: number;
  /** A client that has taken nothing of what was written to it for so long is cut off. */
  readonly stallMilliseconds?: number | undefined;
  /** Whether a request is under way; the others make room when all connections are taken. */
  readonly isBusy: (socket: Socket) => boolean;
  readonly onLoss?: ((loss: ConnectionLoss) => void) | undefined;
}

/** The time a client may take to take more of an answer. */
const defaultStallMilliseconds = 30_000;
/** How often it is looked whether it has. */
const looks = 20;

interface Watched {
  /** What the client's side had accepted at the last look. */
  accepted: number;
  stalledLooks: number;
  idleLooks: number;
}

/**
 * Bounds what clients can hold: connections in number, and those of clients that stop reading in time. A slow client is no stalled
 * one: whatever the system took of what was written counts as progress. Time is counted in looks, so that a process that was held up
 * itself cuts nobody off for it.
 *
 * When all connections are taken, those without a request under way make room within two looks: neither idle clients nor slow ones can lock the
 * others out.
 */
export function guardConnections(server: Server, limits: ConnectionLimits): void {
  const { maximumConnections, stallMilliseconds = defaultStallMilliseconds, isBusy, onLoss } = limits;
  const watched = new Map<Socket, Watched>();
  let isFull = false;
  server.maxConnections = maximumConnections;
  // Node would leave out headers after the 2,000th, and what is not seen is not checked; their bytes are limited anyway.
  server.maxHeadersCount = 0;

  server.on('connection', (socket) => {
    watched.set(socket, { accepted: 0, stalledLooks: 0, idleLooks: 0 });
    socket.once('close', () => watched.delete(socket));
  });
  server.on('drop', () => {
    isFull = true;
    onLoss?.('dropped');
  });

  const end = (socket: Socket, loss: ConnectionLoss): void => {
    // A reset, because the system would go on trying to deliver what it has taken.
    socket.resetAndDestroy();
    onLoss?.(loss);
  };
  const look = (): void => {
    for (const [socket, state] of watched) {
      const { pending, accepted } = deliveryOf(socket);
      const hasProgress = pending === 0 || accepted !== state.accepted;
      state.accepted = accepted;
      state.stalledLooks = hasProgress ? 0 : state.stalledLooks + 1;
      state.idleLooks = isBusy(socket) ? 0 : state.idleLooks + 1;
      if (state.stalledLooks >= looks) end(socket, 'stalled');
      else if (isFull && state.idleLooks > 1) end(socket, 'evicted');
    }
    isFull = false;
  };
  let timer: NodeJS.Timeout | undefined;
  server.on('listening', () => (timer = setInterval(look, stallMilliseconds / looks).unref()));
  server.on('close', () => clearInterval(timer));
}

/** libuv's side of a socket, as net.Socket itself uses it for its time-outs; not documented, and absent once the socket is closed. */
interface StreamHandle {
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
}

/** What was written and not yet taken by the system, and what it took so far. Also of the middle of one large write. */
function deliveryOf(socket: Socket): { readonly pending: number; readonly accepted: number } {
  const { bytesWritten = 0, writeQueueSize = 0 } = (socket as { _handle?: StreamHandle | null })._handle ?? {};
  return { pending: socket.writableLength + writeQueueSize, accepted: bytesWritten - writeQueueSize };
}
