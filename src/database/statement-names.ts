import type { PoolClient } from 'pg';
import { FairCache } from '../common/fair-cache';

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

/**
 * A name makes the server keep a statement's plan: one name per text, the same on every connection, and never reused
 * for another text.
 */
export interface StatementNames {
  /**
   * The name of a statement; empty for one that is planned on each execution.
   * @param client The client whose document produced the statement. Undefined for the service's own statements: those
   * of the REST API and of authentication.
   */
  nameOf(text: string, client: string | undefined): string;
  /** Number of names withdrawn so far. */
  readonly withdrawnCount: number;
  /** Whether a name was assigned and withdrawn: no statement will have it again. */
  isWithdrawn(name: string): boolean;
}

/** Maximum numbers of names. Each is a plan in the memory of each connection, some tens of kilobytes. */
export interface StatementNameBounds {
  /** For the service's own statements, which are few. */
  readonly reserved: number;
  /** For the statements that clients' documents produce, whose number is unbounded. */
  readonly ofClients: number;
  /** One client's share of those. */
  readonly perClient: number;
}

const defaultBounds: StatementNameBounds = { reserved: 300, ofClients: 300, perClient: 50 };

/**
 * Assigns names until the bounds are reached. The service's own statements keep theirs. A client's statement gets a
 * name on its second use, so that a statement sent once takes none; the name counts for each client that uses it. A
 * statement without a name is planned on each execution, which costs less than a millisecond.
 */
export function createStatementNames(bounds: StatementNameBounds = defaultBounds): StatementNames {
  const own = new Map<string, string>();
  const live = new Set<string>();
  let given = 0;
  const ofClients = new FairCache<string>({
    ...{ totalSize: bounds.ofClients, sizePerOwner: bounds.perClient, overhead: 1, isCommon: true },
    onEvicted: (name) => live.delete(name),
  });

  return {
    nameOf(text, client) {
      const known = own.get(text);
      if (known !== undefined) return known;
      if (client === undefined) {
        if (own.size >= bounds.reserved) return '';
        const name = `s${own.size}`;
        own.set(text, name);
        return name;
      }
      const name = ofClients.get(client, text);
      if (name !== undefined) return name;
      if (!ofClients.isSecondOffer(client, text)) return '';
      const next = `c${given}`;
      given += 1;
      live.add(next);
      ofClients.set(client, text, next, 0);
      return next;
    },
    get withdrawnCount() {
      return given - live.size;
    },
    isWithdrawn: (name) => name.startsWith('c') && !live.has(name),
  };
}
