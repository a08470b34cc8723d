import type { Prisma, PrismaClient } from './generated/client';
import type { StatementAsker } from './statement-asker';
import type { StatementWatcher } from './watch-statements';

/** A row of a statement that answers with text alone. */
export type TextRow = readonly (string | null)[];

/** An open connection pool to PostgreSQL: behind a Prisma client, and directly behind the driver adapter that the client uses. */
export interface Database {
  readonly prisma: PrismaClient;
  readonly url: string;
  /**
   * The rows that a statement answers with, every column as text.
   *
   * For the few statements that every request runs. It goes to Prisma's driver adapter without the client in between,
   * which costs as much again as the statement itself (docs/decisions.md 1).
   * @param asker When nobody waits any more, the statement does not begin, or is cancelled in PostgreSQL.
   * @throws why nobody waits; what the adapter throws
   */
  readRows(statement: Prisma.Sql, asker?: StatementAsker): Promise<readonly TextRow[]>;
  /** Connections now: all, those without work, and statements that wait for one. */
  countConnections(): { readonly total: number; readonly idle: number; readonly waiting: number };
  /** From now on the watcher is told of every statement. */
  watchStatements(watcher: StatementWatcher): void;
  close(): Promise<void>;
}
