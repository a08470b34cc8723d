import type { Socket } from 'node:net';
import type { PoolClient } from 'pg';

/** Properties that pg's connections have and pg's types do not. */
interface ConnectedClient {
  readonly connection: { readonly stream: Socket };
  /** False while a statement is in progress. */
  readonly readyForQuery: boolean;
}

/** The server, or the network path to it, disappeared silently. */
export class SilentConnectionError extends Error {
  override readonly name = 'SilentConnectionError';
}

/**
 * Closes a connection when a statement is in progress on it and nothing has arrived for this long: the server's own
 * limit for statements does not help when the server itself hangs. The socket already has a timer. pg's `query_timeout`
 * would start one per statement, with a closure that keeps the statement's rows alive until the next major garbage
 * collection.
 */
export function endWhenSilent(given: PoolClient, milliseconds: number): void {
  const client = given as unknown as ConnectedClient;
  const { stream } = client.connection;
  stream.setTimeout(milliseconds);
  // Not as setTimeout's own listener, which is called only once: the connection may have been idle before.
  stream.on('timeout', () => {
    // An idle connection is expected to be silent.
    if (client.readyForQuery) return;
    stream.destroy(new SilentConnectionError(`PostgreSQL sent nothing for ${milliseconds} ms`));
  });
}
