import type { Query } from './import-transaction';

/** A table counts as much smaller than it is from this factor on: a plan made for it is then likely to be wrong. */
const tolerance = 10;

/**
 * Corrects the statistics of tables that the planner believes to be nearly empty. They say so when autovacuum counts a
 * table whose rows are all deleted, or come from a transaction that has not committed, such as this one. The look-ups of the statements and of the
 * triggers would then read all rows of the shop for each object, because every index that starts with shop_id looks
 * equally good. Correct statistics cost nothing here.
 *
 * ANALYZE takes a lock that keeps autovacuum off the table until the import ends; SKIP_LOCKED, because another import
 * may hold it, and then corrects the same numbers.
 */
export async function correctStatistics(query: Query, rowsByTable: Readonly<Record<string, number>>): Promise<void> {
  const { rows } = await query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name
       FROM unnest($1::text[], $2::bigint[]) AS given (name, rows)
       JOIN pg_class AS c ON c.oid = to_regclass(given.name)
      WHERE c.relpages > 0 AND c.reltuples * ${tolerance} < given.rows`,
    [Object.keys(rowsByTable), Object.values(rowsByTable)],
  );
  for (const { name } of rows) await query(`ANALYZE (SKIP_LOCKED) ${name}`, []);
}
