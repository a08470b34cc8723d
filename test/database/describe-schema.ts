import type { Sql } from '../support/test-database';

/**
 * Everything that migrations create in the schema public, one object per line. Databases with the same lines have the
 * same schema.
 */
export async function describeSchema(sql: Sql): Promise<string[]> {
  const rows = await sql<{ line: string }>(`
    SELECT format('column %s.%s %s: %s %s %s %s %s', c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod),
                  a.attnotnull, a.attgenerated, a.attcollation, pg_get_expr(d.adbin, d.adrelid)) AS line
      FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')
     UNION ALL
    SELECT format('index %s %s', pg_get_indexdef(indexrelid), indisvalid)
      FROM pg_index JOIN pg_class AS c ON c.oid = indrelid WHERE c.relnamespace = 'public'::regnamespace
     UNION ALL
    SELECT format('constraint %s of %s: %s', conname, conrelid::regclass, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace
     UNION ALL
    SELECT 'function ' || pg_get_functiondef(p.oid) FROM pg_proc AS p
     WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f'
       AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
     UNION ALL
    SELECT format('trigger %s %s', pg_get_triggerdef(t.oid), tgenabled)
      FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = tgrelid
     WHERE NOT tgisinternal AND c.relnamespace = 'public'::regnamespace
     UNION ALL
    SELECT 'extension ' || extname FROM pg_extension
     ORDER BY line`);
  return rows.map(({ line }) => line);
}
