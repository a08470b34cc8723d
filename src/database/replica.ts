import { LRUCache } from 'lru-cache';
import type { ReplicaOutcome } from '../observability/metrics';
import { PoolOverloadError } from './bounded-pool';
import type { Database, ShopVersion, TextRow } from './database';
import { Prisma } from './generated/client';
import type { StatementAsker } from './statement-asker';

/** What the driver throws. */
export type DriverError = Error & { readonly code?: unknown };

export interface ReplicaWatcher {
  readonly asked: (outcome: ReplicaOutcome) => void;
  /** It is not asked any more, until `found`. */
  readonly lost: (error: DriverError) => void;
  readonly found: () => void;
}

export interface Replica {
  /** Whether it is worth asking for these shops now. */
  isOpenTo(at: readonly ShopVersion[]): boolean;
  isInUse(): boolean;
  /** The statement's rows, of exactly these versions; undefined when somebody else has to be asked. */
  readRows(
    statement: Prisma.Sql,
    at: readonly ShopVersion[],
    asker?: StatementAsker,
  ): Promise<readonly TextRow[] | undefined>;
  close(): Promise<void>;
}

/** How long a shop whose rows differ is read elsewhere: a replica that follows is behind for less. */
const otherVersionMilliseconds = 250;
const rememberedShops = 10_000;

const longestRestMilliseconds = 10_000;
/** One that was in use for so long did not come back too early. */
const healthyMilliseconds = 10_000;

interface ReplicaOptions {
  /** With limits so short that there is time to ask the primary as well. */
  readonly database: Database;
  readonly watcher: ReplicaWatcher;
  /** The first pause before a replica that failed is tried again; the next ones are longer. No request waits for a try. */
  readonly shortestRestMilliseconds?: number | undefined;
}

/**
 * A copy of the database that follows it, some time behind. Starts out of use and is taken into it by a first try, so that one that is
 * away costs no request anything.
 */
export function createReplica({ database, watcher, shortestRestMilliseconds = 500 }: ReplicaOptions): Replica {
  const differing = new LRUCache<string, true>({ max: rememberedShops, ttl: otherVersionMilliseconds });
  let inUse = false;
  let isLost = false;
  let closed = false;
  let restMilliseconds = shortestRestMilliseconds;
  let inUseSince = 0;
  let timer: NodeJS.Timeout | undefined;

  const leave = (error: DriverError): void => {
    // Statements that were under way together fail together.
    if (isLost && timer !== undefined) return;
    if (inUse && performance.now() - inUseSince > healthyMilliseconds) restMilliseconds = shortestRestMilliseconds;
    inUse = false;
    if (!isLost && !closed) watcher.lost(error);
    isLost = true;
    if (closed) return;
    timer = setTimeout(tryOut, restMilliseconds).unref();
    restMilliseconds = Math.min(restMilliseconds * 2, longestRestMilliseconds);
  };
  const takeBack = (): void => {
    if (closed) return;
    inUse = true;
    inUseSince = performance.now();
    if (isLost) watcher.found();
    isLost = false;
  };
  const tryOut = (): void => {
    timer = undefined;
    void database.readRows(Prisma.sql`SELECT '1'`).then(takeBack, leave);
  };
  tryOut();

  return {
    isOpenTo: (at) => inUse && !at.some(({ shopId }) => differing.has(shopId)),
    isInUse: () => inUse,
    async readRows(statement, at, asker) {
      try {
        const rows = await database.readRows(onlyAt(at, statement), asker, at);
        const isOther = rows.length === 0;
        if (isOther) for (const { shopId } of at) differing.set(shopId, true);
        watcher.asked(isOther ? 'other_version' : 'answered');
        if (isOther) return undefined;
        return rows[0]?.[0] === null ? [] : rows;
      } catch (error) {
        // Nobody waits any more: that says nothing of the replica.
        if (asker?.endReason !== undefined) throw error;
        watcher.asked('failed');
        // Too many at once, or a statement in the way of what the replica has to replay: it is well.
        if (!(error instanceof PoolOverloadError) && !isReplayConflict(error)) leave(error as DriverError);
        return undefined;
      }
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await database.close();
    },
  };
}

/**
 * No row unless the shops have these versions in the very snapshot that the rows are read from; then nothing else is read either. A row
 * of nulls when they have, and the statement has none. (Without a condition the join can only go through its one row and then through
 * the others, in their order.)
 */
const onlyAt = (at: readonly ShopVersion[], statement: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`SELECT page.* FROM (${statement}) AS page RIGHT JOIN (
    SELECT WHERE NOT EXISTS (
      SELECT FROM unnest(${at.map(({ shopId }) => shopId)}::uuid[], ${at.map(({ dataVersion }) => dataVersion)}::bigint[])
               AS named (shop_id, data_version)
       WHERE named.data_version IS DISTINCT FROM (SELECT s.data_version FROM shops AS s WHERE s.shop_id = named.shop_id))
  ) AS same ON true`;

const isReplayConflict = (error: unknown): boolean =>
  (error as { cause?: { originalCode?: unknown } }).cause?.originalCode === '40001';
