import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { burdenSince, CallerLedger } from '../../common/caller-ledger';
import type { ConnectionLoss } from '../../observability/metrics';
import { addressBucket } from '../../rate-limit/rate-limiter';
import { callerOf, resetConnection } from '../request/buffered-bytes';
import type { Connections } from './connections';

export interface ConnectionLimits extends Pick<Connections, 'latestOn'> {
  /** Maximum number of concurrent connections; Node closes further ones on arrival. */
  readonly maximumConnections?: number;
  /** A client that reads less than `leastBytesPerSecond` in a window of this length is disconnected. */
  readonly windowMilliseconds?: number | undefined;
  /** Called for each connection that was refused or ended. */
  readonly onConnectionLost?: (loss: ConnectionLoss) => void;
}

/**
 * A client at 45 kB/s must be able to finish, however long that takes. The system accepts bytes from this process in
 * steps of a third of its send buffer, 1.4 MB of the usual 4 MB: at 45 kB/s, one every 32 s.
 */
const usualWindowMilliseconds = 40_000;
const leastBytesPerSecond = 8_000;
/** The number of checks in a window. */
const looks = 20;

/** The share of connections that is closed at once when all are in use. */
const shareToClose = 0.05;
/**
 * A connection that was opened within this share of a window may be about to send its request. Room is made at most
 * once in such a time, because all connections are inspected.
 */
const shareToBegin = 1 / 160;

interface Watched {
  /** Bytes accepted by the client when the window began. */
  accepted: number;
  looksInWindow: number;
}

/**
 * Bounds what clients can hold: the number of connections, and the time of those whose clients read too little of what
 * is written for them. Bytes that the system accepted count as read. Time is counted in checks, so that a process that
 * was itself suspended disconnects no client for it.
 *
 * When all connections are in use, the caller that holds most of them loses some of those that are waiting for it: idle
 * ones, and ones whose request is incomplete or whose response it does not read. Neither idle nor slow clients can lock
 * the others out.
 */
export function guardConnections(server: Server, limits: ConnectionLimits): void {
  const { maximumConnections = 10_000, windowMilliseconds = usualWindowMilliseconds } = limits;
  const { latestOn, onConnectionLost } = limits;
  const leastBytes = (leastBytesPerSecond * windowMilliseconds) / 1000;
  const watched = new Map<Socket, Watched>();
  const connections = new CallerLedger();
  server.maxConnections = maximumConnections;
  // Where it is not set, a worker returns the connection, and the primary passes it on until one takes it.
  Object.assign(server, { dropMaxConnection: true });
  // Node would drop headers after the 2,000th, and dropped headers are not checked; their bytes are limited anyway.
  server.maxHeadersCount = 0;

  const end = (socket: Socket, loss: ConnectionLoss): void => {
    resetConnection(socket);
    onConnectionLost?.(loss);
  };
  const graceMilliseconds = windowMilliseconds * shareToBegin;
  let evictedAt = -Infinity;
  const evictSome = (): void => {
    const now = performance.now();
    if (now - evictedAt < graceMilliseconds) return;
    evictedAt = now;
    connections.evict(Math.ceil(maximumConnections * shareToClose));
  };

  server.on('connection', (socket) => {
    watched.set(socket, { accepted: 0, looksInWindow: 0 });
    const openedAt = performance.now();
    const address = addressBucket(socket.remoteAddress);
    const release = connections.hold({
      amount: 1,
      caller() {
        const response = latestOn(socket)?.response;
        return response === undefined ? address : callerOf(response);
      },
      burden() {
        const exchange = latestOn(socket);
        const isInProgress = exchange?.request.complete === true && !exchange.response.writableFinished;
        // The client is waiting for its response.
        if (isInProgress && deliveryOf(socket).pending === 0) return undefined;
        const since = exchange?.begunAt ?? openedAt;
        return performance.now() - since < graceMilliseconds ? undefined : burdenSince(since);
      },
      giveWay: () => end(socket, 'evicted'),
    });
    socket.once('close', () => {
      release();
      watched.delete(socket);
    });
    if (connections.size >= maximumConnections) evictSome();
  });
  server.on('drop', () => {
    onConnectionLost?.('dropped');
    evictSome();
  });

  const look = (): void => {
    for (const [socket, state] of watched) {
      const { pending, accepted } = deliveryOf(socket);
      state.looksInWindow = pending === 0 ? 0 : state.looksInWindow + 1;
      // Bytes accepted by the system before the client stalled are in its buffers, not read.
      if (state.looksInWindow === 1) state.accepted = accepted;
      if (state.looksInWindow < looks) continue;
      if (accepted - state.accepted < leastBytes) end(socket, 'stalled');
      state.looksInWindow = 0;
    }
  };
  let timer: NodeJS.Timeout | undefined;
  server.on('listening', () => (timer = setInterval(look, windowMilliseconds / looks).unref()));
  server.on('close', () => clearInterval(timer));
}

/**
 * libuv's handle of a socket, as net.Socket itself uses it for its timeouts; undocumented, and absent once the socket
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
