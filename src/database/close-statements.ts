import type { PoolClient } from 'pg';
import type { StatementNames } from './statement-names';

/** What pg's types do not tell of a connection. */
interface ConnectedClient {
  readonly connection: {
    /** Texts by name: what the driver need not send again. */
    readonly parsedStatements: Record<string, string>;
    /** Sends the protocol's Close, for which there is an answer, but no round trip of its own: the next statement follows at once. */
    close(statement: { readonly type: 'S'; readonly name: string }): void;
  };
}

/**
 * Makes the server forget statements whose names were taken back, on each connection before its next use. A statement may have waited for
 * its connection while its name was taken back; it is forgotten the next time.
 */
export function closeStatements(names: StatementNames): (client: PoolClient) => void {
  const upTo = new WeakMap<PoolClient, number>();
  return (client) => {
    const { countTakenBack } = names;
    if (upTo.get(client) === countTakenBack) return;
    upTo.set(client, countTakenBack);
    const { connection } = client as unknown as ConnectedClient;
    for (const name of Object.keys(connection.parsedStatements)) {
      if (!names.isTakenBack(name)) continue;
      connection.close({ type: 'S', name });
      delete connection.parsedStatements[name];
    }
  };
}
