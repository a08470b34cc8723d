import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionLoss } from '../../observability/metrics';

export interface ConnectionLimits {
  /** Connections at once; Node closes further ones on arrival. */
  readonly maximumConnections: number;
  /** A client that reads nothing of its response for this long is disconnected. */
  readonly stallMilliseconds?: number | undefined;
  /** Whether a request is in progress; other connections are closed first when all are in use. */
  readonly isBusy: (socket: Socket) => boolean;
  readonly onLoss?: ((loss: ConnectionLoss) => void) | undefined;
}

/** How long a client may take to read more of a response. */
const defaultStallMilliseconds = 30_000;
/** The interval at which progress is checked. */
const looks = 20;

interface Watched {
  /** What the client's side had accepted at the last check. */
  accepted: number;
  stalledLooks: number;
  idleLooks: number;
}

/**
 * Bounds what clients can hold: the number of connections, and the time of those whose client stops reading. A slow
 * client is not a stalled one: any written bytes that the system accepted count as progress. Time is counted in checks,
 * so that a process that was itself suspended disconnects no client for it.
 *
 * When all connections are in use, those without a request in progress are closed within two checks: neither idle nor
 * slow clients can lock the others out.
 */
export function guardConnections(server: Server, limits: ConnectionLimits): void {
  const { maximumConnections, stallMilliseconds = defaultStallMilliseconds, isBusy, onLoss } = limits;
  const watched = new Map<Socket, Watched>();
  let isFull = false;
  server.maxConnections = maximumConnections;
  // Node would drop headers after the 2,000th, and dropped headers are not checked; their bytes are limited anyway.
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
    // A reset, because the system would keep trying to deliver the bytes that it accepted.
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

/**
 * libuv's handle of a socket, as net.Socket itself uses it for its time-outs; undocumented, and absent once the socket
 * is closed.
 */
interface StreamHandle {
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
}

/**
 * The bytes written and not yet accepted by the system, and those accepted so far. Also counts partial progress of one
 * large write.
 */
function deliveryOf(socket: Socket): { readonly pending: number; readonly accepted: number } {
  const { bytesWritten = 0, writeQueueSize = 0 } = (socket as { _handle?: StreamHandle | null })._handle ?? {};
  return { pending: socket.writableLength + writeQueueSize, accepted: bytesWritten - writeQueueSize };
}
