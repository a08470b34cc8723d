import type { Database } from './database';
import type { Prisma } from './generated/client';

/** The JSON that a statement answers with: one row, one column, as text; null when there is no row. */
export async function readJson<Result>(
  database: Pick<Database, 'readRows'>,
  statement: Prisma.Sql,
): Promise<Result | null> {
  const [row] = await database.readRows(statement);
  const json = row?.[0];
  return typeof json === 'string' ? (JSON.parse(json) as Result) : null;
}
