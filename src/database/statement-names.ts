import { hash } from 'node:crypto';
import { FairCache } from '../fair-cache';

/** A name makes the server keep a statement's plan: one name for each text, on every connection the same. */
export interface StatementNames {
  /**
   * The name of a statement; empty for one that is planned each time.
   * @param client Whose document the statement was made for, when a client wrote it. Undefined for the service's own statements: those
   * of the REST API, of authentication.
   */
  nameOf(text: string, client: string | undefined): string;
}

/** How many names there are: each is a plan in the memory of each connection, some tens of kilobytes. */
export interface StatementNameBounds {
  /** For the service's own statements, which are few. */
  readonly reserved: number;
  /** For those that clients' documents make, which can be any number. */
  readonly ofClients: number;
  /** One client's share of those. */
  readonly perClient: number;
}

const defaultBounds: StatementNameBounds = { reserved: 300, ofClients: 300, perClient: 50 };

/**
 * Gives names until the bounds are reached, and takes none back: that would be a round trip on each connection. What has no name is
 * planned each time, which costs less than a millisecond. Clients' statements get theirs at the second use, so that what is sent once
 * takes none.
 */
export function createStatementNames(bounds: StatementNameBounds = defaultBounds): StatementNames {
  const own = new Map<string, string>();
  const ofClients = new Map<string, string>();
  const taken = new Map<string, number>();
  const usedOnce = new FairCache<never>({ totalSize: 2_000, sizePerOwner: 200, overhead: 1, isCommon: false });

  return {
    nameOf(text, client) {
      const known = own.get(text) ?? ofClients.get(text);
      if (known !== undefined) return known;
      if (client === undefined) {
        if (own.size >= bounds.reserved) return '';
        const name = `s${own.size}`;
        own.set(text, name);
        return name;
      }
      const count = taken.get(client) ?? 0;
      if (ofClients.size >= bounds.ofClients || count >= bounds.perClient) return '';
      if (!usedOnce.isSecondOffer(client, hash('sha256', text, 'base64url'))) return '';
      const name = `c${ofClients.size}`;
      ofClients.set(text, name);
      taken.set(client, count + 1);
      return name;
    },
  };
}
