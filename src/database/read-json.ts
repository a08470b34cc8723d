import type { Database } from './database';
import type { Sql } from './sql';

/** Reads the JSON that a statement returns: one row, one column, as text; null when there is no row. */
export async function readJson<Result>(database: Pick<Database, 'readRows'>, statement: Sql): Promise<Result | null> {
  const [row] = await database.readRows(statement);
  const json = row?.[0];
  return typeof json === 'string' ? (JSON.parse(json) as Result) : null;
}
