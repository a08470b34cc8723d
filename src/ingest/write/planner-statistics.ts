import { DatabaseError } from 'pg';
import type { Query } from './import-transaction';

const lockNotAvailable = '55P03';

/**
 * The factor by which the statistics of a table may underestimate it: beyond it, a plan made for the table is likely to
 * be wrong.
 */
const tolerance = 10;

/**
 * Corrects the statistics of tables that the planner believes to be nearly empty. They are wrong when autovacuum
 * analyzes a table whose rows are all deleted, or come from an uncommitted transaction such as this one. The lookups of
 * the statements and of the triggers would then read all rows of the shop for each object, because every index that
 * starts with shop_id looks equally good. Correct statistics cost nothing here. A table that was never analyzed has -1
 * rows, and the planner uses its size. ANALYZE takes a lock that keeps autovacuum off the table until the import ends.
 * It uses SKIP_LOCKED, because another import that holds the lock corrects the same numbers.
 */
export async function correctStatistics(query: Query, rowsByTable: Readonly<Record<string, number>>): Promise<void> {
  const { rows } = await query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name
       FROM unnest($1::text[], $2::bigint[]) AS given (name, rows)
       JOIN pg_class AS c ON c.oid = to_regclass(given.name)
      WHERE c.reltuples >= 0 AND c.reltuples * ${tolerance} < given.rows`,
    [Object.keys(rowsByTable), Object.values(rowsByTable)],
  );
  for (const { name } of rows) await query(`ANALYZE (SKIP_LOCKED) ${name}`);
}

/**
 * Runs once for each import: a table that has pages has rows. Their number is unknown: soft-deleted products count too,
 * and no column of the shop includes them. Without this, the lookups of foreign keys, whose form we do not control, may
 * read the whole shop.
 */
export async function correctStatisticsBySize(query: Query, tables: readonly string[]): Promise<void> {
  const { rows } = await query<{ name: string; pages: number }>(
    `SELECT name, (pg_relation_size(to_regclass(name)) / current_setting('block_size')::integer)::integer AS pages
       FROM unnest($1::text[]) AS given (name)`,
    [tables],
  );
  await correctStatistics(query, Object.fromEntries(rows.map(({ name, pages }) => [name, pages])));
}

/**
 * Keeps autovacuum from analyzing the tables while their new rows are invisible. When another import holds the lock, it
 * protects this one, too; two seconds are enough for autovacuum to yield.
 */
export async function keepStatistics(query: Query): Promise<void> {
  await query('SAVEPOINT before_lock');
  try {
    const { rows } = await query<{ lock_timeout: string }>('SHOW lock_timeout');
    await query(`SET LOCAL lock_timeout = '2s'`);
    await query('LOCK TABLE products, variants IN SHARE UPDATE EXCLUSIVE MODE');
    await query(`SELECT set_config('lock_timeout', $1, true)`, [rows[0]?.lock_timeout]);
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === lockNotAvailable)) throw error;
    await query('ROLLBACK TO SAVEPOINT before_lock');
  }
}

/** From this number of new rows on, the planner's statistics of a table are renewed before it is queried. */
const manyRows = 1_000;

/**
 * Analyzes the tables that the import has filled, in its own transaction: the rows and their statistics become visible
 * together.
 */
export async function analyzeFilledTables(
  query: Query,
  created: Readonly<Record<string, { readonly created: number }>>,
): Promise<void> {
  for (const [table, { created: rows }] of Object.entries(created)) {
    if (rows >= manyRows) await query(`ANALYZE (SKIP_LOCKED) ${table}`);
  }
}
