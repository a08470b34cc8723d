import { hash } from 'node:crypto';
import type { PoolClient } from 'pg';
import { LRUCache } from 'lru-cache';

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
   * @param isOwn Whether it is one of the service, for the REST API or authentication, and not of a client's document.
   */
  nameOf(text: string, isOwn: boolean): string;
  /** Number of names withdrawn so far. */
  readonly withdrawnCount: number;
  /** Whether a name was assigned and withdrawn: no statement will have it again. */
  isWithdrawn(name: string): boolean;
}

/** For the statements that clients' documents produce: a plan takes tens of kilobytes of each connection's memory. */
const mostOfClients = 300;

/**
 * The service's own statements, which are few, keep their names. A client's statement gets one on its second use, so
 * that a statement sent once takes none, and loses it when others were used later. A statement without a name is
 * planned on each execution, which costs less than a millisecond.
 */
export function createStatementNames(most = mostOfClients): StatementNames {
  const own = new Map<string, string>();
  const live = new Set<string>();
  let given = 0;
  const ofClients = new LRUCache<string, string>({ max: most, dispose: (name) => live.delete(name) });
  const usedOnce = new LRUCache<string, true>({ max: 2_000 });
  return {
    nameOf(text, isOwn) {
      const known = own.get(text) ?? ofClients.get(text);
      if (known !== undefined) return known;
      if (isOwn) {
        own.set(text, `s${own.size}`);
        return own.get(text) as string;
      }
      const digest = hash('sha256', text, 'base64url');
      if (!usedOnce.has(digest)) {
        usedOnce.set(digest, true);
        return '';
      }
      const name = `c${given}`;
      given += 1;
      live.add(name);
      ofClients.set(text, name);
      return name;
    },
    get withdrawnCount() {
      return given - live.size;
    },
    isWithdrawn: (name) => name.startsWith('c') && !live.has(name),
  };
}
