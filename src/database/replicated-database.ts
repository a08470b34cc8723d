import type { Database, ShopVersion } from './database';
import { openDatabase } from './open-database';
import type { ReplicaOutcome } from '../observability/metrics';
import type { DriverError, Replica } from './replica';
import { createReplica } from './replica';

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
  readonly shortestRestMilliseconds?: number;
  readonly clock?: { readonly now: () => number };
  readonly onError: (error: DriverError) => void;
  readonly onAsked: (replica: number, outcome: ReplicaOutcome) => void;
  readonly onLost: (replica: number, error: DriverError) => void;
  readonly onFound: (replica: number) => void;
}

/**
 * The primary, with replicas that answer in its place where that makes no difference: rows of a shop in exactly the
 * version that the primary returned at the start of the request (docs/decisions.md 27). Everything else, and everything
 * that a replica cannot answer, goes to the primary.
 */
export function openReplicatedDatabase(options: ReplicatedDatabaseOptions): ReplicatedDatabase {
  const { primary, urls, poolSize, timeoutMilliseconds, onError, onAsked, onLost, onFound } = options;
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
  const replicas = databases.map((database, index) =>
    createReplica({
      database,
      watcher: {
        asked: (outcome) => onAsked(index, outcome),
        lost: (error) => onLost(index, error),
        found: () => onFound(index),
      },
      shortestRestMilliseconds: options.shortestRestMilliseconds,
      clock: options.clock,
    }),
  );
  let turn = 0;
  const choose = (at: readonly ShopVersion[]): Replica | undefined => {
    for (let tried = 0; tried < replicas.length; tried++) {
      turn = (turn + 1) % replicas.length;
      const replica = replicas[turn];
      if (replica?.isOpenTo(at)) return replica;
    }
    return undefined;
  };
  return {
    ...primary,
    readRows(statement, cancellation, at) {
      const replica = at && choose(at);
      if (at === undefined || replica === undefined) return primary.readRows(statement, cancellation, at);
      // Tries one replica and no second one: after a failure little time is left.
      return replica
        .readRows(statement, at, cancellation)
        .then((rows) => rows ?? primary.readRows(statement, cancellation, at));
    },
    watchStatements(watcher) {
      for (const each of [primary, ...databases]) each.watchStatements(watcher);
    },
    replicasInUse: () => replicas.map((replica) => replica.isInUse()),
    closeReplicas: async () => void (await Promise.all(replicas.map((replica) => replica.close()))),
  };
}
