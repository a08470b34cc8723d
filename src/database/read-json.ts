import type { Cancellation } from '../common/cancellation';
import type { Database, ShopVersions } from './database';
import type { Sql } from './sql';

/** Reads the JSON that a statement returns: one row, one column, as text; null when there is no row. */
export async function readJson<Result>(
  database: Pick<Database, 'readRows'>,
  statement: Sql,
  cancellation?: Cancellation,
  at?: ShopVersions,
): Promise<Result | null> {
  const [row] = await database.readRows(statement, cancellation, at);
  const json = row?.[0];
  return typeof json === 'string' ? (JSON.parse(json) as Result) : null;
}
