import type { Prisma, PrismaClient } from './generated/client';
import type { StatementAsker } from './statement-asker';
import type { StatementWatcher } from './watch-statements';

/** A row of a statement that answers with text alone. */
export type TextRow = readonly (string | null)[];

/** A shop, and the version of its rows that the primary named at the start of a request. */
export interface ShopVersion {
  readonly shopId: string;
  readonly dataVersion: string;
}

/** An open connection pool to PostgreSQL: behind a Prisma client, and directly behind the driver adapter that the client uses. */
export interface Database {
  readonly prisma: PrismaClient;
  /** As it was configured: see connection-target.ts. */
  readonly url: string;
  /**
   * The rows that a statement answers with, every column as text.
   *
   * For the few statements that every request runs. It goes to Prisma's driver adapter without the client in between,
   * which costs as much again as the statement itself (docs/decisions.md 1).
   * @param asker When nobody waits any more, the statement does not begin, or is cancelled in PostgreSQL.
   * @param at The statement reads nothing but rows of this one shop, so whoever has it in all of these versions may answer it (replica.ts), and
   * it takes its turn among the statements of that shop (bounded-pool.ts). One row whose first column is null says then that there is none.
   * @throws why nobody waits; what the adapter throws
   */
  readRows(statement: Prisma.Sql, asker?: StatementAsker, at?: readonly ShopVersion[]): Promise<readonly TextRow[]>;
  /** Connections now: all, those without work, and statements that wait for one. */
  countConnections(): { readonly total: number; readonly idle: number; readonly waiting: number };
  /** From now on the watcher is told of every statement. */
  watchStatements(watcher: StatementWatcher): void;
  close(): Promise<void>;
}
