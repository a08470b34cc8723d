import type { Socket } from 'node:net';
import type { PoolClient } from 'pg';

/** What pg's types do not tell of a connection. */
interface ConnectedClient {
  readonly connection: { readonly stream: Socket };
  /** False while a statement is under way. */
  readonly readyForQuery: boolean;
}

/** The server, or the way to it, is gone without a word. */
export class SilentConnectionError extends Error {
  override readonly name = 'SilentConnectionError';
}

/**
 * Gives a connection up when a statement is under way on it and nothing has come for so long: the server's own limit for statements
 * does not help when the server is the one that hangs. The socket has a clock already; pg's `query_timeout` would start one for each
 * statement, with a function that keeps the statement's rows until the next collection of all garbage.
 */
export function endWhenSilent(given: PoolClient, milliseconds: number): void {
  const client = given as unknown as ConnectedClient;
  const { stream } = client.connection;
  stream.setTimeout(milliseconds);
  // Not as setTimeout's own listener, which hears it once: a connection may have rested before.
  stream.on('timeout', () => {
    // A connection that rests is meant to be silent.
    if (client.readyForQuery) return;
    stream.destroy(new SilentConnectionError(`Nothing came from PostgreSQL for ${milliseconds} ms`));
  });
}
