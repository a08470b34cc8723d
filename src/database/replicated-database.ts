import type { Database, ShopVersion } from './database';
import { openDatabase } from './open-database';
import type { ReplicaOutcome } from '../observability/metrics';
import type { DriverError, Replica } from './replica';
import { createReplica } from './replica';

export interface ReplicatedDatabase extends Database {
  /** Whether each replica is being asked, in the order of the configuration. */
  replicasInUse(): readonly boolean[];
  /** Lets go of the replicas; the primary belongs to whoever opened it. */
  closeReplicas(): Promise<void>;
}

interface ReplicatedDatabaseOptions {
  readonly primary: Database;
  readonly urls: readonly string[];
  /** Connections to each replica at most. */
  readonly poolSize: number;
  /** The longest that a replica may take to connect, and to answer. */
  readonly timeoutMilliseconds: number;
  readonly shortestRestMilliseconds?: number;
  readonly onError: (error: DriverError) => void;
  readonly onAsked: (replica: number, outcome: ReplicaOutcome) => void;
  readonly onLost: (replica: number, error: DriverError) => void;
  readonly onFound: (replica: number) => void;
}

/**
 * The primary, with replicas that answer for it where that makes no difference: rows of a shop in exactly the version that the primary
 * named at the start of the request (docs/decisions.md 27). Everything else, and what a replica cannot answer, is the primary's.
 */
export function openReplicatedDatabase(options: ReplicatedDatabaseOptions): ReplicatedDatabase {
  const { primary, urls, poolSize, timeoutMilliseconds, onError, onAsked, onLost, onFound } = options;
  const databases = urls.map((url) =>
    openDatabase({
      url,
      isReplica: true,
      poolSize,
      onError: (error) => onError(error as DriverError),
      // Beyond that the primary has room, or nobody has.
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
    readRows(statement, asker, at) {
      const replica = at && choose(at);
      if (at === undefined || replica === undefined) return primary.readRows(statement, asker, at);
      // One is tried and no second: then time is what is short.
      return replica.readRows(statement, at, asker).then((rows) => rows ?? primary.readRows(statement, asker, at));
    },
    watchStatements(watcher) {
      for (const each of [primary, ...databases]) each.watchStatements(watcher);
    },
    replicasInUse: () => replicas.map((replica) => replica.isInUse()),
    closeReplicas: async () => void (await Promise.all(replicas.map((replica) => replica.close()))),
  };
}
