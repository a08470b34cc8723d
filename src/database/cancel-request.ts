import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { PoolClient } from 'pg';

/** "Cancel", in place of a version of the protocol (PostgreSQL, "Message Formats": CancelRequest). */
const cancelRequestCode = 80_877_102;

/** What pg knows of a connection, and its types do not: the two numbers are the server's word for it. */
interface ConnectedClient {
  readonly processID: number;
  readonly secretKey: number;
  readonly connection: { readonly stream: Pick<Socket, 'remoteAddress' | 'remotePort'> };
  readonly host: string;
  readonly port: number;
}

/**
 * Asks the server to end what runs on a connection. It must go over a connection of its own, which needs no login; nobody answers,
 * and when it is lost the statement still has its time limit. It is sent in the clear as libpq does: whoever reads it can cancel
 * what runs on the connection, which is about to be closed.
 */
export function sendCancelRequest(client: PoolClient): void {
  const { processID, secretKey, connection, host, port } = client as unknown as ConnectedClient;
  const request = Buffer.alloc(16);
  for (const [index, word] of [request.length, cancelRequestCode, processID, secretKey].entries()) {
    request.writeInt32BE(word | 0, index * 4);
  }
  // Behind one name there may be several servers; only the one at the other end of the connection will know it.
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
