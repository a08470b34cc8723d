import type { PrismaClient } from './generated/client';
import type { Sql } from './sql';
import type { Cancellation } from '../common/cancellation';

/** A row of a statement that returns only text. */
export type TextRow = readonly (string | null)[];

/** A shop, and the version of its rows that the primary returned at the start of a request. */
export interface ShopVersion {
  readonly shopId: string;
  readonly dataVersion: string;
}

/** One shop in all of these versions: a statement that several requests share may be answered from it. */
export interface ShopVersions {
  readonly shopId: string;
  readonly dataVersions: readonly string[];
}

/** Called once when a statement completes or fails; the wait for a connection is part of its time. */
export type StatementWatcher = (seconds: number) => void;

/**
 * An open connection pool to PostgreSQL: behind a Prisma client, and directly behind the driver adapter that the client
 * uses.
 */
export interface Database {
  readonly prisma: PrismaClient;
  /** As configured: see connection-target.ts. */
  readonly url: string;
  /**
   * The rows that a statement returns, every column as text.
   *
   * For the few statements that every request runs. They bypass the client and go to Prisma's driver adapter, because
   * the client costs as much again as the statement itself (docs/decisions.md 1).
   * @param cancellation The cancellation signal. After it, the statement does not begin, or is canceled in PostgreSQL.
   * @param at The statement reads only rows of this one shop, so any server that has it in all of these versions may
   * answer it (replicated-database.ts), and it is scheduled among the statements of that shop (bounded-pool.ts). One
   * row whose first column is null means that there is none.
   * @throws the reason of the cancellation; errors of the adapter
   */
  readRows(statement: Sql, cancellation?: Cancellation, at?: ShopVersions): Promise<readonly TextRow[]>;
  /** Current connections: all, idle ones, and statements that wait for one. */
  countConnections(): { readonly total: number; readonly idle: number; readonly waiting: number };
  /** Notifies the watcher of every statement from now on. */
  watchStatements(watcher: StatementWatcher): void;
  close(): Promise<void>;
}
