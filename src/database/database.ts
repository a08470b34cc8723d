import type { Prisma, PrismaClient } from './generated/client';
import type { StatementWatcher } from './watch-statements';

/** An open connection pool to PostgreSQL: behind a Prisma client, and directly behind the driver adapter that the client uses. */
export interface Database {
  readonly prisma: PrismaClient;
  readonly url: string;
  /**
   * The JSON that a statement answers with: one row, one column, as text; null when there is no row.
   *
   * For the few statements that every request runs. It goes to Prisma's driver adapter without the client in between,
   * which costs as much again as the statement itself (docs/decisions.md 1).
   */
  readJson<Result>(statement: Prisma.Sql): Promise<Result | null>;
  /** Connections now: all, those without work, and statements that wait for one. */
  countConnections(): { readonly total: number; readonly idle: number; readonly waiting: number };
  /** From now on the watcher is told of every statement. */
  watchStatements(watcher: StatementWatcher): void;
  close(): Promise<void>;
}
