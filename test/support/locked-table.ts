import { Client } from 'pg';
import type { TestDatabase } from './test-database';

/** While `work` runs, every statement that reads the table waits for it. */
export async function whileLocked<Result>(
  { url }: TestDatabase,
  table: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const holder = new Client({ connectionString: url });
  await holder.connect();
  await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  return work().finally(() => holder.end());
}

const isWaiting = `datname = current_database() AND wait_event_type = 'Lock'`;

/** Resolves when that many statements wait for a table. */
export async function untilWaiting({ sql }: TestDatabase, count: number): Promise<void> {
  for (let waiting: unknown[] | undefined; waiting?.length !== count;) {
    waiting = await sql(`SELECT pid FROM pg_stat_activity WHERE ${isWaiting}`);
  }
}

/** Cuts the connection of the next statement that waits for a table, as when the server is shut down. */
export async function cutWaiting({ sql }: TestDatabase): Promise<void> {
  for (let cut: unknown[] = []; cut.length === 0;) {
    cut = await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${isWaiting}`);
  }
}
