import { shardedTables } from '../sharding/shard-copies';
import { changeKinds, keptCharacters, keptSkuCharacters } from '../sql-constants';

/**
 * Recomputes one part of what the database derives from the written columns, for `catalog check` and the tests of the
 * triggers. All statements have one parameter, the id of the shop.
 */
export interface DerivedCheck {
  /**
   * A query for differences: `kind` (table and column, or what is wrong), `object` (its id), and the texts `stored` and
   * `expected`. It works on whole sets, not row by row through triggers or their functions.
   */
  readonly differences: string;
  /**
   * Corrects what the query finds, and nothing else. The shop is locked, has a new version, and its change feed has
   * been restarted.
   */
  readonly repair: readonly string[];
}

/**
 * The first products of a shop in (created_at, id) order are visible (D8). Any boundary
 * (`visible_until`) that ends the same set is correct.
 */
const visibleSet = `
  SELECT s.shop_id, s.live_product_count, s.visible_until_at, s.visible_until_id, c.live, c.seen, c.visible,
         CASE WHEN c.is_right THEN s.visible_until_at WHEN c.visible = c.live THEN 'infinity' WHEN c.visible = 0 THEN '-infinity'
              ELSE last.created_at END AS until_at,
         CASE WHEN c.is_right THEN s.visible_until_id WHEN c.visible = c.live THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'
              WHEN c.visible = 0 THEN '00000000-0000-0000-0000-000000000000' ELSE last.id END AS until_id
    FROM shops AS s
   CROSS JOIN LATERAL (
         SELECT *, seen = visible AND (visible < live OR live = 0 OR s.visible_until_at = 'infinity') AS is_right
           FROM (SELECT count(*) AS live, coalesce(least(s.product_limit, count(*)), count(*)) AS visible,
                        count(*) FILTER (WHERE (p.created_at, p.id) <= (s.visible_until_at, s.visible_until_id)) AS seen
                   FROM products AS p WHERE p.shop_id = $1 AND p.deleted_at IS NULL) AS counted) AS c
    LEFT JOIN LATERAL (
         SELECT p.created_at, p.id FROM products AS p
          WHERE p.shop_id = $1 AND p.deleted_at IS NULL AND NOT c.is_right
          ORDER BY p.created_at, p.id OFFSET greatest(c.visible - 1, 0) LIMIT 1) AS last ON true
   WHERE s.shop_id = $1`;

/** `visible_sets` has no row before the first product. */
const visibility: DerivedCheck = {
  differences: `
    SELECT d.kind, r.shop_id::text AS object, d.stored, d.expected
      FROM (${visibleSet}) AS r
      LEFT JOIN visible_sets AS k USING (shop_id)
     CROSS JOIN LATERAL (
           VALUES ('shops.live_product_count', r.live_product_count::text, r.live::text),
                  ('shops.visible_until', concat_ws(' ', r.visible_until_at, r.visible_until_id, 'products:', r.seen),
                                          concat_ws(' ', r.until_at, r.until_id, 'products:', r.visible)),
                  ('visible_sets', CASE WHEN k.shop_id IS NOT NULL THEN concat_ws(' ', k.live_count, k.visible_count, k.until_at, k.until_id)
                                        WHEN r.live = 0 THEN concat_ws(' ', r.live, r.visible, r.until_at, r.until_id) END,
                                   concat_ws(' ', r.live, r.visible, r.until_at, r.until_id))) AS d (kind, stored, expected)
     WHERE d.stored IS DISTINCT FROM d.expected
     UNION ALL
    SELECT 'visible_moves', shop_id::text, concat_ws(' ', from_at, from_id), NULL FROM visible_moves WHERE shop_id = $1`,
  repair: [
    `INSERT INTO visible_sets AS k (shop_id, live_count, visible_count, until_at, until_id, from_statement, from_count, from_at, from_id)
     SELECT shop_id, live, visible, until_at, until_id, '-infinity', 0, 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'
       FROM (${visibleSet}) AS r
         ON CONFLICT (shop_id) DO UPDATE SET live_count = excluded.live_count, visible_count = excluded.visible_count,
                                             until_at = excluded.until_at, until_id = excluded.until_id`,
    // Its trigger copies these columns from visible_sets, whatever the statement sets.
    `UPDATE shops AS s SET live_product_count = k.live_count, visible_until_at = k.until_at, visible_until_id = k.until_id
       FROM visible_sets AS k
      WHERE s.shop_id = $1 AND k.shop_id = s.shop_id
        AND (s.live_product_count, s.visible_until_at, s.visible_until_id) IS DISTINCT FROM (k.live_count, k.until_at, k.until_id)`,
    // Also the move that the statements above made: the feed restarts.
    'DELETE FROM visible_moves WHERE shop_id = $1',
  ],
};

/** Among equal prices, the first in the order of variants counts, with its own digits (D21). */
const productColumns = `
  SELECT 'products.' || d.name AS kind, p.id::text AS object, d.stored, d.expected
    FROM products AS p
    LEFT JOIN (
         SELECT v.product_id, count(*) AS variant_count, sum(coalesce(v.inventory_quantity, 0)) AS total_stock,
                (array_agg(v.price ORDER BY v.price::numeric, v.position, v.id) FILTER (WHERE v.price IS NOT NULL))[1] AS min_price,
                (array_agg(v.price ORDER BY v.price::numeric DESC, v.position, v.id) FILTER (WHERE v.price IS NOT NULL))[1] AS max_price,
                left(string_agg(DISTINCT v.sku COLLATE "C", ' ' ORDER BY v.sku COLLATE "C"), ${keptSkuCharacters}) AS skus
           FROM variants AS v WHERE v.shop_id = $1 GROUP BY v.product_id) AS own ON own.product_id = p.id
   CROSS JOIN LATERAL (
         VALUES ('variant_count', p.variant_count::text, coalesce(own.variant_count, 0)::text),
                ('min_price', p.min_price, own.min_price),
                ('max_price', p.max_price, own.max_price),
                ('total_stock', p.total_stock::text, coalesce(own.total_stock, 0)::text),
                ('skus', p.skus, own.skus)) AS d (name, stored, expected)
   WHERE p.shop_id = $1 AND d.stored IS DISTINCT FROM d.expected`;

const variantsOfProducts: DerivedCheck = {
  differences: productColumns,
  repair: [
    `SELECT catalog_derive_products(array_agg($1::uuid), array_agg(id))
       FROM (SELECT DISTINCT object::uuid AS id FROM (${productColumns}) AS d) AS d`,
  ],
};

/**
 * A table of derived rows, which a query returns in full.
 * @param key The columns that tell the rows of a shop apart.
 * @param object An expression of these for people.
 */
function derivedTable(table: string, key: string, object: string, query: string): DerivedCheck {
  const rows = `
    SELECT ${key}, stored, expected
      FROM (SELECT * FROM ${table} WHERE shop_id = $1) AS stored FULL JOIN (${query}) AS expected USING (${key})
     WHERE stored IS DISTINCT FROM expected`;
  return {
    differences: `SELECT '${table}' AS kind, (${object})::text AS object, stored::text, expected::text FROM (${rows}) AS d`,
    repair: [
      `DELETE FROM ${table} WHERE shop_id = $1 AND (${key}) IN (SELECT ${key} FROM (${rows}) AS d)`,
      // Wrong rows have already been deleted. Inserts in the order of the key, so that a range of rows is in few pages.
      `INSERT INTO ${table} SELECT (expected).* FROM (${rows}) AS d ORDER BY ${key}`,
    ],
  };
}

const tags = derivedTable(
  'product_tags',
  'tag, created_at, product_id',
  'product_id',
  `SELECT DISTINCT p.shop_id, left(tag, ${keptCharacters}) COLLATE "C" AS tag, p.created_at, p.id AS product_id
     FROM products AS p CROSS JOIN unnest(p.tags) AS u (tag) WHERE p.shop_id = $1 AND p.deleted_at IS NULL`,
);

const members = derivedTable(
  'collection_products',
  'collection, position, product_id, created_at',
  'product_id',
  `SELECT p.shop_id, own.collection, own.position, p.id AS product_id, p.created_at
     FROM products AS p
    CROSS JOIN LATERAL (
          SELECT (m.one ->> 'collection_external_id') COLLATE "C" AS collection,
                 coalesce(min((m.one ->> 'position')::numeric::integer), 2147483647) AS position
            FROM jsonb_array_elements(p.memberships) AS m (one) GROUP BY 1) AS own
    WHERE p.shop_id = $1 AND p.deleted_at IS NULL`,
);

const terms = derivedTable(
  'product_terms',
  'product_id',
  'product_id',
  `SELECT shop_id, id AS product_id, status, vendor, product_type, tags, search_text, search_words
     FROM products WHERE shop_id = $1 AND deleted_at IS NULL`,
);

const figures = derivedTable(
  'order_figures',
  'hours, from_at, key',
  "concat_ws(' ', hours, from_at, key)",
  'SELECT * FROM catalog_order_figures($1)',
);

/** Each object has an entry, marked if the object is deleted; no version is ahead of the shop's. */
const changeEntries = Object.entries(changeKinds)
  .map(
    ([table, kind]) => `
      SELECT d.problem, ${kind}::smallint AS kind, '${table.slice(0, -1)} ' || coalesce(o.id, c.id) AS object,
             coalesce(o.id, c.id) AS id, o.id IS NOT NULL AS is_there, c.version, s.data_version
        FROM (SELECT id FROM ${table} WHERE shop_id = $1) AS o
        FULL JOIN (SELECT id, version, is_deleted FROM changes WHERE shop_id = $1 AND kind = ${kind}) AS c ON c.id = o.id
       CROSS JOIN (SELECT data_version FROM shops WHERE shop_id = $1) AS s
       CROSS JOIN LATERAL (SELECT CASE
             WHEN c.id IS NULL THEN 'entry'
             WHEN o.id IS NOT NULL AND c.is_deleted THEN 'restored'
             WHEN o.id IS NULL AND NOT c.is_deleted THEN 'deleted'
             WHEN c.version > s.data_version THEN 'version' END AS problem) AS d
       WHERE d.problem IS NOT NULL`,
  )
  .join(' UNION ALL ');

const changes: DerivedCheck = {
  differences: `
    SELECT 'changes.' || problem AS kind, object,
           CASE problem WHEN 'restored' THEN 'deleted' WHEN 'deleted' THEN 'not deleted' WHEN 'version' THEN version::text END AS stored,
           CASE problem WHEN 'entry' THEN 'an entry' WHEN 'restored' THEN 'not deleted' WHEN 'deleted' THEN 'deleted'
                        ELSE 'at most ' || data_version END AS expected
      FROM (${changeEntries}) AS d`,
  repair: [
    `SELECT catalog_record_changes(kind, array_agg($1::uuid), array_agg(id))
       FROM (${changeEntries}) AS d WHERE is_there GROUP BY kind`,
    `SELECT catalog_record_deleted(kind, array_agg($1::uuid), array_agg(id))
       FROM (${changeEntries}) AS d WHERE NOT is_there GROUP BY kind`,
  ],
};

const epochs: DerivedCheck = {
  differences: `
    SELECT 'change_epochs' AS kind, s.shop_id::text AS object, e.after_version::text AS stored,
           CASE WHEN e.shop_id IS NULL THEN 'an epoch' ELSE 'at most ' || s.data_version END AS expected
      FROM shops AS s LEFT JOIN change_epochs AS e ON e.shop_id = s.shop_id
     WHERE s.shop_id = $1 AND (e.shop_id IS NULL OR e.after_version > s.data_version)`,
  repair: [], // a restart of the feed, as with every repair
};

/** Sessions without triggers record which shops they write to (`catalog_note_unrecorded`), but not what. */
const unrecorded: DerivedCheck = {
  differences: `
    SELECT 'unrecorded_writes' AS kind, shop_id::text AS object, 'written without triggers' AS stored, NULL AS expected
      FROM unrecorded_writes WHERE shop_id = $1`,
  repair: ['DELETE FROM unrecorded_writes WHERE shop_id = $1'],
};

/** Rows that a foreign key would have deleted or refused. */
const orphans: DerivedCheck = {
  differences: `
    SELECT 'variants.product_id' AS kind, v.id::text AS object, v.product_id::text AS stored, NULL AS expected
      FROM variants AS v
     WHERE v.shop_id = $1 AND NOT EXISTS (SELECT FROM products AS p WHERE p.shop_id = $1 AND p.id = v.product_id)`,
  repair: [
    `DELETE FROM variants AS v
      WHERE v.shop_id = $1 AND NOT EXISTS (SELECT FROM products AS p WHERE p.shop_id = $1 AND p.id = v.product_id)`,
  ],
};

/** A generated column and its expression, as PostgreSQL has them. */
export interface GeneratedColumn {
  readonly table: string;
  readonly name: string;
  readonly expression: string;
  /** The columns of the table that are written. */
  readonly written: readonly string[];
}

/** Generated columns of the shop's rows. Their functions may have been replaced since a row was written. */
export const readGeneratedColumns = `
  SELECT c.relname::text AS "table", quote_ident(a.attname) AS name, pg_get_expr(d.adbin, d.adrelid) AS expression,
         ARRAY(SELECT quote_ident(w.attname) FROM pg_attribute AS w
                WHERE w.attrelid = c.oid AND w.attnum > 0 AND NOT w.attisdropped AND w.attgenerated = '' ORDER BY w.attnum) AS written
    FROM pg_class AS c
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attgenerated = 's' AND NOT a.attisdropped
    JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
   WHERE c.oid = ANY (ARRAY['public.products', 'public.variants', 'public.collections', 'public.orders']::regclass[])
   ORDER BY 1, a.attnum`;

const generated = (columns: readonly GeneratedColumn[], table: string): DerivedCheck => {
  const own = columns.filter((column) => column.table === table);
  const values = own.map(({ name, expression }) => `('${name}', (${name})::text, (${expression})::text)`).join(', ');
  const differences = `
    SELECT '${table}.' || d.name AS kind, id::text AS object, d.stored, d.expected
      FROM ${table} CROSS JOIN LATERAL (VALUES ${values}) AS d (name, stored, expected)
     WHERE shop_id = $1 AND d.stored IS DISTINCT FROM d.expected`;
  const [first] = own;
  return {
    differences,
    // PostgreSQL regenerates a column only when its sources are set.
    repair: [
      `UPDATE ${table} SET ${(first?.written ?? []).map((name) => `${name} = ${table}.${name}`).join(', ')}
        FROM (SELECT DISTINCT object::uuid AS id FROM (${differences}) AS d) AS wrong
        WHERE ${table}.shop_id = $1 AND ${table}.id = wrong.id`,
    ],
  };
};

/** All checks of a shop in the order of their repair: values that others are derived from come first. */
export const toDerivedChecks = (columns: readonly GeneratedColumn[]): readonly DerivedCheck[] => [
  unrecorded,
  orphans,
  ...Object.keys(changeKinds)
    .filter((table) => columns.some((column) => column.table === table))
    .map((table) => generated(columns, table)),
  epochs,
  visibility,
  variantsOfProducts,
  tags,
  members,
  terms,
  figures,
  changes,
];

/**
 * The tables that have no rows of a shop that was deleted. Those that foreign keys empty come first. Usage of keys may
 * remain.
 */
const remainingTables = shardedTables.filter((table) => !/^(?:shops|key_usage)$/.test(table));

/**
 * First in the transaction of a check, where it takes no snapshot yet: TRUNCATE empties a table for older snapshots as
 * well, so that the tables would be compared as of different times.
 */
export const waitForTruncate = `
  LOCK TABLE shops, ${remainingTables.join(', ')} IN ACCESS SHARE MODE`;

/** The shops that one of these tables has rows of, from one entry of its key to the next. */
const shopsIn = (table: string): string => `
  SELECT '${table}' AS kind, shop_id FROM (
    WITH RECURSIVE found (shop_id) AS (
      (SELECT shop_id FROM ${table} ORDER BY shop_id LIMIT 1)
       UNION ALL
      SELECT (SELECT t.shop_id FROM ${table} AS t WHERE t.shop_id > found.shop_id ORDER BY t.shop_id LIMIT 1)
        FROM found WHERE found.shop_id IS NOT NULL
    ) SELECT shop_id FROM found WHERE shop_id IS NOT NULL) AS of_table`;

export const remains: DerivedCheck = {
  differences: `
    SELECT kind, shop_id::text AS object, 'rows of a shop that does not exist' AS stored, NULL AS expected
      FROM (${remainingTables.map(shopsIn).join(' UNION ALL ')}) AS t
     WHERE NOT EXISTS (SELECT FROM shops AS s WHERE s.shop_id = t.shop_id)`,
  repair: remainingTables.map(
    (table) => `
      DELETE FROM ${table} WHERE shop_id IN (
        SELECT shop_id FROM (${shopsIn(table)}) AS t WHERE NOT EXISTS (SELECT FROM shops AS s WHERE s.shop_id = t.shop_id))`,
  ),
};

/** The triggers of `catalog_note_unrecorded`, which run only in sessions in which no other trigger runs. */
const replicaTriggers = `
  SELECT t.tgrelid::regclass::text AS "table", t.tgname::text AS name, t.tgenabled AS state
    FROM pg_trigger AS t WHERE t.tgfoid = 'catalog_note_unrecorded'::regproc`;

/**
 * `ENABLE TRIGGER ALL` or `USER`, also at the end of `pg_restore --disable-triggers`, enables these for all sessions.
 */
export const reenabled: DerivedCheck = {
  differences: `
    SELECT 'triggers' AS kind, name || ' of ' || "table" AS object, CASE state WHEN 'D' THEN 'disabled' ELSE 'disabled, then enabled again' END AS stored, 'never disabled' AS expected
      FROM (${replicaTriggers}) AS t WHERE state <> 'R'`,
  // Which shops were written meanwhile is unknown.
  repair: [
    `DO $enable$
     DECLARE
       own record;
     BEGIN
       FOR own IN ${replicaTriggers} AND t.tgenabled <> 'R' ORDER BY 1, 2 LOOP
         EXECUTE format('ALTER TABLE %s ENABLE REPLICA TRIGGER %I', own."table", own.name);
       END LOOP;
     END
     $enable$`,
    'SELECT catalog_restart_changes()',
  ],
};

/**
 * What would make a repair wrong, with what to do about it: `code` and `reason`.
 *
 * - Triggers, foreign keys included, that do not run for writers. Only superusers can disable and enable those of
 *   foreign keys.
 * - A table of shops that logical replication has not finished copying: rows may arrive before their shop or product,
 *   and would be mistaken for leftovers.
 */
export const obstacles = `
  SELECT 'TRIGGERS_DISABLED' AS code,
         format(E'triggers are disabled, such as %s. Enable them first:\\n%s', min(name || ' of ' || "table"),
                string_agg(DISTINCT format('  ALTER TABLE %s ENABLE TRIGGER %s;', "table", which), E'\\n')) AS reason
    FROM (SELECT t.tgrelid::regclass::text AS "table", t.tgname::text AS name,
                 CASE WHEN bool_or(t.tgisinternal) OVER () THEN 'ALL' ELSE 'USER' END AS which
            FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
           WHERE c.relnamespace = 'public'::regnamespace
             AND t.tgenabled NOT IN ('O', 'A') AND NOT (t.tgenabled = 'R' AND t.tgname LIKE '%\\_unrecorded%')) AS disabled
  HAVING count(*) > 0
   UNION ALL
  SELECT 'TRIGGERS_DISABLED', 'session_replication_role is replica for this role, so triggers do not run. Run ALTER ROLE … RESET session_replication_role.'
   WHERE current_setting('session_replication_role') = 'replica'
   UNION ALL
  SELECT 'SUBSCRIPTION_COPYING', format('a logical replication subscription is still copying %s. Run this again when pg_subscription_rel.srsubstate is r for all tables, or drop the subscription.', srrelid::regclass)
    FROM pg_subscription_rel WHERE srsubstate <> 'r' AND srrelid = ANY ('{${shardedTables.join()}}'::regclass[])`;
