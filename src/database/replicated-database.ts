import { LRUCache } from 'lru-cache';
import type { ReplicaOutcome } from '../observability/metrics';
import { PoolOverloadError } from './bounded-pool';
import type { Cancellation } from '../common/cancellation';
import type { Database, ShopVersions, TextRow } from './database';
import { openDatabase } from './open-database';
import type { Sql } from './sql';
import { sql } from './sql';

/** An error of the driver. */
export type DriverError = Error & { readonly code?: unknown };

interface Replica {
  /** Whether a read of this shop is worth sending to the replica now. */
  isOpenTo(at: ShopVersions): boolean;
  isInUse(): boolean;
  /** The statement's rows in exactly these versions; undefined when another server has to be queried. */
  readRows(statement: Sql, at: ShopVersions, cancellation?: Cancellation): Promise<readonly TextRow[] | undefined>;
  close(): Promise<void>;
}

/** How long a shop whose version differs is read elsewhere: a healthy replica catches up sooner. */
const otherVersionMilliseconds = 250;
const rememberedShops = 10_000;

/**
 * Creates a copy of the database that follows it with some delay. It starts out of use and is put into use by a first
 * probe, so that an unavailable replica never delays a request.
 */
function createReplica(database: Database, index: number, options: ReplicatedDatabaseOptions): Replica {
  const { onAsked, onLost, onFound, pauseMilliseconds = 1_000, clock = performance } = options;
  const differing = new LRUCache<string, true>({ max: rememberedShops, ttl: otherVersionMilliseconds, perf: clock });
  let inUse = false;
  let isLost = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const leave = (error: DriverError): void => {
    // Statements that were in flight together fail together.
    if (isLost && timer !== undefined) return;
    inUse = false;
    if (!isLost && !closed) onLost(index, error);
    isLost = true;
    if (closed) return;
    timer = setTimeout(probe, pauseMilliseconds).unref();
  };
  const takeBack = (): void => {
    if (closed) return;
    inUse = true;
    if (isLost) onFound(index);
    isLost = false;
  };
  const probe = (): void => {
    timer = undefined;
    void database.readRows(sql`SELECT '1'`).then(takeBack, leave);
  };
  probe();

  return {
    isOpenTo: (at) => inUse && !differing.has(at.shopId),
    isInUse: () => inUse,
    async readRows(statement, at, cancellation) {
      try {
        const rows = await database.readRows(onlyAtVersions(at, statement), cancellation, at);
        const isOther = rows.length === 0;
        if (isOther) differing.set(at.shopId, true);
        onAsked(index, isOther ? 'other_version' : 'answered');
        if (isOther) return undefined;
        return rows[0]?.[0] === null ? [] : rows;
      } catch (error) {
        // The client disconnected, which says nothing about the replica.
        if (cancellation?.endReason !== undefined) throw error;
        onAsked(index, 'failed');
        // Too many statements at the same time, or a statement that blocked replay: the replica is healthy.
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
 * Returns no row unless the shop has these versions in the same snapshot that the rows are read from; then nothing
 * else is read either. Returns a row of nulls when the versions match and the statement has no rows. (Without a
 * condition the join can only go through its one row first and then through the others, in their order.)
 */
const onlyAtVersions = ({ shopId, dataVersions }: ShopVersions, statement: Sql): Sql =>
  sql`SELECT page.* FROM (${statement}) AS page RIGHT JOIN (
    SELECT WHERE (SELECT s.data_version FROM shops AS s WHERE s.shop_id = ${shopId}::uuid) = ALL (${dataVersions}::bigint[])
  ) AS same ON true`;

const isReplayConflict = (error: unknown): boolean =>
  (error as { cause?: { originalCode?: unknown } }).cause?.originalCode === '40001';

export interface ReplicatedDatabase extends Database {
  /** Whether each replica is in use, in the order of the configuration. */
  replicasInUse(): readonly boolean[];
  /** Closes the replicas; the primary belongs to its opener. */
  closeReplicas(): Promise<void>;
}

interface ReplicatedDatabaseOptions {
  readonly primary: Database;
  readonly urls: readonly string[];
  /** Maximum number of connections to each replica. */
  readonly poolSize: number;
  /** The maximum time for a replica to connect, and to answer. */
  readonly timeoutMilliseconds: number;
  /** The pause before a failed replica is tried again. No request waits for that. */
  readonly pauseMilliseconds?: number;
  readonly clock?: { readonly now: () => number };
  readonly onError: (error: DriverError) => void;
  readonly onAsked: (replica: number, outcome: ReplicaOutcome) => void;
  /** The replica is out of use until `onFound`. */
  readonly onLost: (replica: number, error: DriverError) => void;
  readonly onFound: (replica: number) => void;
}

/**
 * The primary, with replicas that answer in its place where that makes no difference: rows of a shop in exactly the
 * version that the primary returned at the start of the request (docs/decisions.md 27). Everything else, and everything
 * that a replica cannot answer, goes to the primary.
 */
export function openReplicatedDatabase(options: ReplicatedDatabaseOptions): ReplicatedDatabase {
  const { primary, urls, poolSize, timeoutMilliseconds, onError } = options;
  const databases = urls.map((url) =>
    openDatabase({
      url,
      isReplica: true,
      poolSize,
      onError: (error) => onError(error as DriverError),
      // Beyond that, the primary has room or no server has.
      queueSize: poolSize,
      connectionTimeoutMilliseconds: timeoutMilliseconds,
      statementTimeoutMilliseconds: timeoutMilliseconds,
    }),
  );
  const replicas = databases.map((database, index) => createReplica(database, index, options));
  let next = 0;
  const choose = (at: ShopVersions): Replica | undefined => {
    for (let tried = 0; tried < replicas.length; tried++) {
      next = (next + 1) % replicas.length;
      const replica = replicas[next];
      if (replica?.isOpenTo(at)) return replica;
    }
    return undefined;
  };
  const readRows: Database['readRows'] = (statement, cancellation, at) => {
    const replica = at && choose(at);
    if (at === undefined || replica === undefined) return primary.readRows(statement, cancellation, at);
    // Tries one replica and no second one: after a failure little time is left.
    return replica
      .readRows(statement, at, cancellation)
      .then((rows) => rows ?? primary.readRows(statement, cancellation, at));
  };
  return {
    ...primary,
    ...(replicas.length > 0 && { readRows }),
    watchStatements(watcher) {
      for (const each of [primary, ...databases]) each.watchStatements(watcher);
    },
    replicasInUse: () => replicas.map((replica) => replica.isInUse()),
    closeReplicas: async () => void (await Promise.all(replicas.map((replica) => replica.close()))),
  };
}
