import { hash } from 'node:crypto';
import { FairCache } from '../fair-cache';

/** A name makes the server keep a statement's plan: one name for each text, on every connection the same, and never for another text. */
export interface StatementNames {
  /**
   * The name of a statement; empty for one that is planned each time.
   * @param client Whose document the statement was made for, when a client wrote it. Undefined for the service's own statements: those
   * of the REST API, of authentication.
   */
  nameOf(text: string, client: string | undefined): string;
  /** How many names were taken back up to now. */
  readonly countTakenBack: number;
  /** Whether a name was given and taken back: no statement will have it again. */
  isTakenBack(name: string): boolean;
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
 * Gives names until the bounds are reached. The service's own keep theirs. Clients' statements get one at the second use, so that what is
 * sent once takes none, and it counts for the client that was first; others use it as well. A client beyond its share loses the name
 * that was used least recently. When there are no more names, that client does who has most: as many shops as come get a fair part. What
 * has no name is planned each time, which costs less than a millisecond.
 */
export function createStatementNames(bounds: StatementNameBounds = defaultBounds): StatementNames {
  const own = new Map<string, string>();
  const ofClients = createFairNames(bounds);
  const usedOnce = new FairCache<never>({ totalSize: 2_000, sizePerOwner: 200, overhead: 1, isCommon: false });

  return {
    nameOf(text, client) {
      const known = own.get(text) ?? ofClients.use(text);
      if (known !== undefined) return known;
      if (client === undefined) {
        if (own.size >= bounds.reserved) return '';
        const name = `s${own.size}`;
        own.set(text, name);
        return name;
      }
      return usedOnce.isSecondOffer(client, hash('sha256', text, 'base64url')) ? ofClients.give(text, client) : '';
    },
    get countTakenBack() {
      return ofClients.countTakenBack;
    },
    isTakenBack: (name) => name.startsWith('c') && !ofClients.has(name),
  };
}

interface Named {
  readonly text: string;
  readonly name: string;
  readonly client: string;
  usedAt: number;
}

function createFairNames({ ofClients, perClient }: StatementNameBounds) {
  const byText = new Map<string, Named>();
  const names = new Set<string>();
  /** What each client holds; the least recently used first. */
  const shares = new Map<string, Set<Named>>();
  let given = 0;
  let now = 0;

  function touch(named: Named, share: Set<Named>): void {
    named.usedAt = now += 1;
    share.delete(named);
    share.add(named);
  }

  function takeBack({ text, name, client }: Named): void {
    const share = shares.get(client);
    share?.delete(byText.get(text) as Named);
    if (share?.size === 0) shares.delete(client);
    byText.delete(text);
    names.delete(name);
  }

  return {
    has: (name: string): boolean => names.has(name),
    get countTakenBack() {
      return given - names.size;
    },
    use(text: string): string | undefined {
      const named = byText.get(text);
      if (named === undefined) return undefined;
      touch(named, shares.get(named.client) as Set<Named>);
      return named.name;
    },
    give(text: string, client: string): string {
      const held = shares.get(client);
      if (held !== undefined && held.size >= perClient) takeBack(oldestOf(held));
      else if (byText.size >= ofClients) takeBack(oldestOf(largestOf(shares.values())));
      const share = shares.get(client) ?? new Set();
      shares.set(client, share);
      const named = { text, name: `c${given}`, client, usedAt: 0 };
      given += 1;
      byText.set(text, named);
      names.add(named.name);
      touch(named, share);
      return named.name;
    },
  };
}

const oldestOf = (share: Set<Named>): Named => share.values().next().value as Named;

/** Of shares that are alike, the one whose oldest name has not been used for longest. */
function largestOf(shares: Iterable<Set<Named>>): Set<Named> {
  let largest: Set<Named> = new Set();
  for (const share of shares) {
    const isOlder = share.size === largest.size && oldestOf(share).usedAt < oldestOf(largest).usedAt;
    if (share.size > largest.size || isOlder) largest = share;
  }
  return largest;
}
