import { defineColumns, listColumns } from './table-columns';

/**
 * The statement that writes a batch of objects which have no children: $1 shop, $2 the batch as one JSON text. Rows that
 * are as they should be stay untouched, so that importing a file again changes nothing.
 */
export const upsertRowsStatement = (table: string, columns: Readonly<Record<string, string>>): string => `
  WITH given AS MATERIALIZED (
    SELECT g.*, t.id,
           (${listColumns(columns, 't')}) IS DISTINCT FROM (${listColumns(columns, 'g')}) AS is_changed
      FROM json_to_recordset($2::json) AS g (external_id text, ${defineColumns(columns)})
      LEFT JOIN ${table} AS t ON t.shop_id = $1 AND t.external_id = g.external_id
  ), inserted AS (
    INSERT INTO ${table} (shop_id, external_id, ${listColumns(columns)})
    SELECT $1, external_id, ${listColumns(columns)} FROM given WHERE id IS NULL
    RETURNING 1
  ), updated AS (
    UPDATE ${table} AS t SET (${listColumns(columns)}) = (${listColumns(columns, 'g')})
      FROM given AS g
     WHERE t.shop_id = $1 AND t.id = g.id AND g.is_changed
    RETURNING 1
  )
  SELECT (SELECT count(*)::integer FROM inserted) AS created, (SELECT count(*)::integer FROM updated) AS updated`;
