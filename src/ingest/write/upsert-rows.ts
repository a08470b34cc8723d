import { findByExternalId, ofShop } from './lookups';
import { listColumns, rowColumns, stagedTable } from './staging';

/**
 * Fields without a column keep their stored values; updated_at, which comes from several columns, becomes the later of
 * the two.
 */
function keepAbsent(columns: readonly string[], absent: ReadonlySet<string>, named = true): string {
  const values = columns.map((name) => {
    if (!absent.has(name)) return `given.${name}`;
    const value =
      name === 'updated_at'
        ? 'greatest(stored.updated_at, given.updated_at)'
        : `CASE WHEN stored.tid IS NULL THEN given.${name} ELSE stored.${name} END`;
    return named ? `${value} AS ${name}` : value;
  });
  return values.join(', ');
}

/** The result of the statement. */
export interface WrittenRows {
  readonly created: number;
  readonly updated: number;
  /** The external id of an object that is stored under a different id than the one in the file. */
  readonly other_id: string | null;
}

/**
 * The statement that writes a batch of objects without children: $1 shop. Rows that are already correct are not
 * written, so that importing a file again changes nothing. It leaves the planner no choice: one lookup in the unique
 * index for each object (lookups.ts), and updates by ctid. Joins planned from wrong statistics read every row of the
 * shop once per object. The ctid stays valid: the shop is locked, so no other writer of these rows can commit.
 */
export const upsertRowsStatement = (
  table: keyof typeof rowColumns,
  absent: ReadonlySet<string> = new Set(),
  columns: readonly string[] = rowColumns[table],
): string => `
  WITH given AS MATERIALIZED (
    SELECT coalesce(given.id, gen_random_uuid()) AS id, stored.id <> given.id AS has_other_id, given.external_id,
           ${keepAbsent(columns, absent)}, stored.tid AS ctid,
           (${listColumns(columns, 'stored')}) IS DISTINCT FROM (${keepAbsent(columns, absent, false)}) AS is_changed
      FROM ${stagedTable(table)} AS given
      LEFT JOIN LATERAL (${findByExternalId(table, 'found.ctid AS tid, found.*')}) AS stored ON true
  ), inserted AS (
    INSERT INTO ${table} (shop_id, id, external_id, ${listColumns(columns)})
    SELECT $1, id, external_id, ${listColumns(columns)} FROM given WHERE ctid IS NULL
    RETURNING 1
  ), updated AS (
    UPDATE ${table} AS stored SET (${listColumns(columns)}) = (${listColumns(columns, 'given')})
      FROM given
     WHERE ${ofShop} AND stored.ctid = given.ctid AND given.is_changed
    RETURNING 1
  )
  SELECT (SELECT count(*)::integer FROM inserted) AS created, (SELECT count(*)::integer FROM updated) AS updated,
         (SELECT min(external_id) FROM given WHERE has_other_id) AS other_id`;
