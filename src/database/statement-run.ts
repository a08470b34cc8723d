import type { Socket } from 'node:net';
import { connect } from 'node:net';
import type { PoolClient } from 'pg';
import type { Cancellation } from '../common/cancellation';

/** "Cancel", sent in place of a protocol version (PostgreSQL, "Message Formats": CancelRequest). */
const cancelRequestCode = 80_877_102;

/**
 * Properties that pg's connections have and pg's types do not. The server uses the two numbers to identify the
 * connection.
 */
interface ConnectedClient {
  readonly processID: number;
  readonly secretKey: number;
  readonly connection: { readonly stream: Pick<Socket, 'remoteAddress' | 'remotePort'> };
  readonly host: string;
  readonly port: number;
}

/**
 * Requests cancellation of the statement that runs on a connection. The request needs a separate connection without a
 * login. The server sends no response, and if the request is lost, the statement's time limit still applies. It is sent
 * unencrypted, as libpq does: a reader of it can cancel what runs on the connection, which is about to be closed.
 */
export function sendCancelRequest(client: PoolClient): void {
  const { processID, secretKey, connection, host, port } = client as unknown as ConnectedClient;
  const request = Buffer.alloc(16);
  for (const [index, word] of [request.length, cancelRequestCode, processID, secretKey].entries()) {
    request.writeInt32BE(word | 0, index * 4);
  }
  // One host name may lead to several servers; only the one at the other end of this connection knows the numbers.
  const { remoteAddress, remotePort } = connection.stream;
  const socket =
    remoteAddress === undefined || remotePort === undefined
      ? connect({ path: `${host}/.s.PGSQL.${port}` })
      : connect({ host: remoteAddress, port: remotePort });
  socket.on('error', () => socket.destroy());
  socket.setTimeout(cancelMilliseconds, () => socket.destroy());
  socket.unref().resume().end(request);
}

const cancelMilliseconds = 1000;

/** One run of a statement through the pool. Its caller may abandon it: then it never begins, or is canceled. */
export class StatementRun {
  #cancel: (() => void) | undefined;
  isAbandoned = false;

  /**
   * How the statement is ended from now on: while it is queued, while it runs, or, without a function, not any more.
   */
  endBy(cancel?: () => void): void {
    this.#cancel = cancel;
  }

  abandon(): void {
    this.isAbandoned = true;
    this.#cancel?.();
  }
}

/**
 * Runs a statement until its cancellation.
 * @param start Passes the statement to the pool; the pool must know the run.
 * @throws the reason of the cancellation, as soon as it occurs
 */
export function runUntilCancelled<Result>(
  cancellation: Cancellation,
  start: (run: StatementRun) => Promise<Result>,
): Promise<Result> {
  if (cancellation.endReason !== undefined) return Promise.reject(cancellation.endReason);
  return new Promise((resolve, reject) => {
    const run = new StatementRun();
    const unsubscribe = cancellation.onEnd((reason) => {
      reject(reason);
      run.abandon();
    });
    start(run).then(
      (result) => {
        unsubscribe();
        resolve(result);
      },
      (thrown: Error) => {
        unsubscribe();
        reject(thrown);
      },
    );
  });
}
