import type { Clock } from '../common/clock';
import type { Database } from '../database/database';
import { sql } from '../database/sql';
import { parseClientId } from './api-key';
import type { Principal } from './principal';

export { usageDays } from '../database/sql-constants';

/** A key and its shop. */
export type KeyOwner = Pick<Principal, 'clientId' | 'shop'>;

/** Usage that a request adds to its key. */
interface CountedRequest {
  readonly status: number;
  /** Sent, headers included. */
  readonly bytes: number;
}

interface Counts {
  readonly shopId: string;
  readonly clientId: string;
  /** In UTC, as PostgreSQL reads it. */
  readonly day: string;
  /** Milliseconds since the epoch. */
  lastUsedAt: number;
  requests: number;
  rateLimited: number;
  errors: number;
  bytes: number;
  cost: number;
}

interface UsageOptions {
  readonly database: Pick<Database, 'readRows'>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  readonly intervalMilliseconds?: number;
}

const minute = 60_000;
const dayMilliseconds = 86_400_000;

/** Keys and days that are counted between two writes: some megabytes. Further keys are not counted until the next. */
const mostCounters = 20_000;

/**
 * Counts key usage in memory and writes it, with the time of each key's last use, once a minute with one statement: a
 * crash loses at most a minute. Failed writes are included in the next one.
 */
export class UsageCounter {
  #counts = new Map<string, Counts>();
  #writing: Promise<void> = Promise.resolve();
  readonly #timer: NodeJS.Timeout;

  constructor(private readonly options: UsageOptions) {
    this.#timer = setInterval(() => void this.flush(), options.intervalMilliseconds ?? minute).unref();
  }

  countRequest(principal: Principal, { status, bytes }: CountedRequest): void {
    const counts = this.#countsOf(principal);
    if (counts === undefined) return;
    counts.requests += 1;
    counts.bytes += bytes;
    if (status === 429) counts.rateLimited += 1;
    else if (status >= 400) counts.errors += 1;
  }

  /** Records that a key is being used, also without a request: an open stream is authenticated again and again. */
  readonly noteUse = (key: KeyOwner): void => void this.#countsOf(key);

  /** @param cost Of a GraphQL operation, in points. */
  addCost(principal: Principal, cost: number): void {
    const counts = this.#countsOf(principal);
    if (counts !== undefined) counts.cost += cost;
  }

  /** Writes the counts since the last write. Never throws. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Writes the remainder, at the end of the process. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  #countsOf({ shop: { id: shopId }, clientId: shown }: KeyOwner): Counts | undefined {
    const now = this.options.clock();
    const number = Math.floor(now / dayMilliseconds);
    const name = `${shown} ${number}`;
    const found = this.#counts.get(name);
    if (found !== undefined) {
      found.lastUsedAt = now;
      return found;
    }
    const clientId = parseClientId(shown)?.clientId;
    if (clientId === undefined || this.#counts.size >= mostCounters) return undefined;
    const day = new Date(number * dayMilliseconds).toISOString().slice(0, 10);
    const counts = {
      shopId,
      clientId,
      day,
      lastUsedAt: now,
      requests: 0,
      rateLimited: 0,
      errors: 0,
      bytes: 0,
      cost: 0,
    };
    this.#counts.set(name, counts);
    return counts;
  }

  async #write(): Promise<void> {
    const counted = this.#counts;
    if (counted.size === 0) return;
    this.#counts = new Map();
    try {
      await this.options.database.readRows(toStatement([...counted.values()]));
    } catch (error) {
      this.options.onError(error);
      this.#takeBack(counted);
    }
  }

  #takeBack(counted: ReadonlyMap<string, Counts>): void {
    for (const [name, counts] of counted) {
      const later = this.#counts.get(name);
      if (later === undefined) this.#counts.set(name, counts);
      else for (const member of counters) later[member] += counts[member];
    }
  }
}

const counters = ['requests', 'rateLimited', 'errors', 'bytes', 'cost'] as const;

const toStatement = (all: readonly Counts[]) => {
  const [requests, limited, errors, bytes, costs] = counters.map((member) =>
    all.map((counts) => String(counts[member])),
  );
  return sql`
    SELECT catalog_add_usage(${all.map(({ shopId }) => shopId)}::uuid[], ${all.map(({ clientId }) => clientId)}::text[],
             ${all.map(({ day }) => day)}::date[], ${requests}::bigint[], ${limited}::bigint[], ${errors}::bigint[],
             ${bytes}::bigint[], ${costs}::bigint[],
             ${all.map(({ lastUsedAt }) => new Date(lastUsedAt).toISOString())}::timestamptz[])::text`;
};
