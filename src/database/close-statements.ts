import type { PoolClient } from 'pg';
import type { StatementNames } from './statement-names';

/** Properties that pg's connections have and pg's types do not. */
interface ConnectedClient {
  readonly connection: {
    /** Texts by name: statements that the driver need not send again. */
    readonly parsedStatements: Record<string, string>;
    /**
     * Sends the protocol's Close. The server responds, but without a separate round trip: the next statement follows
     * immediately.
     */
    close(statement: { readonly type: 'S'; readonly name: string }): void;
  };
}

/**
 * Makes the server drop statements whose names were withdrawn, on each connection before its next use. If a statement
 * waited for its connection while its name was withdrawn, it is dropped the next time.
 */
export function closeStatements(names: StatementNames): (client: PoolClient) => void {
  const upTo = new WeakMap<PoolClient, number>();
  return (client) => {
    const { withdrawnCount } = names;
    if (upTo.get(client) === withdrawnCount) return;
    upTo.set(client, withdrawnCount);
    const { connection } = client as unknown as ConnectedClient;
    for (const name of Object.keys(connection.parsedStatements)) {
      if (!names.isWithdrawn(name)) continue;
      connection.close({ type: 'S', name });
      delete connection.parsedStatements[name];
    }
  };
}
