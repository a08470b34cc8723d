import { defineColumns, listColumns, productColumns, variantColumns } from './table-columns';

const p = (table?: string): string => listColumns(productColumns, table);
const v = (table?: string): string => listColumns(variantColumns, table);
const timestamps = 'created_at timestamptz(3), updated_at timestamptz(3)';

/** What the statement answers with. */
export interface WrittenProducts {
  readonly created: number;
  readonly updated: number;
  readonly variants_created: number;
  readonly variants_updated: number;
  readonly variants_removed: number;
}

/**
 * Writes a batch of products with their variants: $1 shop, $2 products and $3 variants as JSON texts (`n` says which
 * variant belongs to which product), $4 now.
 *
 * All in one statement, with the derived columns already right: the triggers, which run when it is done, then find
 * nothing to correct. The order in `derived` is theirs, so that of two spellings of one price both choose the same.
 * Only rows that differ are written, variants that a product no longer has are deleted. Where the format has no
 * timestamps, updated_at moves when the row, or a variant of the product, changed.
 *
 * LATERAL … LIMIT and ctid leave the planner no choice but look-ups: see upsert-rows.
 */
export const upsertProductsStatement = `
  WITH product AS MATERIALIZED (
    SELECT g.n, g.external_id, ${p('g')}, g.updated_at,
           t.ctid, t.id IS NULL AS is_new, coalesce(t.id, gen_random_uuid()) AS id,
           coalesce(g.created_at, t.created_at, $4::timestamptz) AS created_at,
           CASE WHEN g.published IS NULL THEN g.published_at
                WHEN g.published THEN coalesce(t.published_at, g.created_at, t.created_at, $4::timestamptz) END AS published_at
      FROM json_to_recordset($2::json) AS g (
             n integer, external_id text, ${defineColumns(productColumns)}, published boolean,
             published_at timestamptz(3), ${timestamps})
      LEFT JOIN LATERAL (
        SELECT o.ctid, o.id, o.created_at, o.published_at FROM products AS o
         WHERE o.shop_id = $1 AND o.external_id = g.external_id LIMIT 1) AS t ON true
  ), variant AS MATERIALIZED (
    SELECT product.id AS product_id, g.external_id, ${v('g')},
           t.ctid, t.id IS NULL AS is_new, coalesce(t.id, gen_random_uuid()) AS id,
           coalesce(g.created_at, t.created_at, $4::timestamptz) AS created_at,
           coalesce(g.updated_at, $4::timestamptz) AS updated_at,
           (${v('t')}, t.created_at, t.updated_at)
             IS DISTINCT FROM (${v('g')}, coalesce(g.created_at, t.created_at), coalesce(g.updated_at, t.updated_at))
             AS is_changed
      FROM json_to_recordset($3::json) AS g (n integer, external_id text, ${defineColumns(variantColumns)}, ${timestamps})
      JOIN product USING (n)
      LEFT JOIN LATERAL (
        SELECT o.ctid, o.* FROM variants AS o
         WHERE o.shop_id = $1 AND o.product_id = product.id AND o.external_id = g.external_id LIMIT 1) AS t ON true
  ), absent_variant AS MATERIALIZED (
    SELECT t.ctid
      FROM product CROSS JOIN LATERAL (
        SELECT o.ctid, o.id FROM variants AS o WHERE o.shop_id = $1 AND o.product_id = product.id OFFSET 0) AS t
     WHERE NOT product.is_new AND t.id NOT IN (SELECT id FROM variant)
  ), removed_variant AS (
    DELETE FROM variants AS t USING absent_variant AS a WHERE t.ctid = a.ctid
    RETURNING t.product_id
  ), updated_variant AS (
    UPDATE variants AS t SET (${v()}, created_at, updated_at) = (${v('g')}, g.created_at, g.updated_at)
      FROM variant AS g
     WHERE t.ctid = g.ctid AND g.is_changed
    RETURNING t.product_id
  ), inserted_variant AS (
    INSERT INTO variants (shop_id, product_id, id, external_id, ${v()}, created_at, updated_at)
    SELECT $1, product_id, id, external_id, ${v()}, created_at, updated_at FROM variant WHERE is_new
    RETURNING product_id
  ), touched AS (
    SELECT product_id FROM removed_variant
    UNION SELECT product_id FROM updated_variant
    UNION SELECT product_id FROM inserted_variant
  ), derived AS (
    SELECT product_id, count(*)::integer AS variant_count,
           (array_agg(price ORDER BY price::numeric, position, id) FILTER (WHERE price IS NOT NULL))[1] AS min_price,
           (array_agg(price ORDER BY price::numeric DESC, position, id) FILTER (WHERE price IS NOT NULL))[1] AS max_price,
           sum(inventory_quantity)::bigint AS total_stock
      FROM variant GROUP BY product_id
  ), final AS MATERIALIZED (
    SELECT product.*, coalesce(d.variant_count, 0) AS variant_count, d.min_price, d.max_price,
           coalesce(d.total_stock, 0) AS total_stock
      FROM product LEFT JOIN derived AS d ON d.product_id = product.id
  ), updated AS (
    UPDATE products AS t
       SET (${p()}, published_at, created_at, updated_at, deleted_at, variant_count, min_price, max_price, total_stock)
         = (${p('f')}, f.published_at, f.created_at, coalesce(f.updated_at, $4::timestamptz), NULL,
            f.variant_count, f.min_price, f.max_price, f.total_stock)
      FROM final AS f
     WHERE t.ctid = f.ctid
       AND ((${p('t')}, t.published_at, t.created_at, t.updated_at, t.deleted_at,
             t.variant_count, t.min_price, t.max_price, t.total_stock)
              IS DISTINCT FROM
            (${p('f')}, f.published_at, f.created_at, coalesce(f.updated_at, t.updated_at), NULL::timestamptz,
             f.variant_count, f.min_price, f.max_price, f.total_stock)
            OR f.updated_at IS NULL AND EXISTS (SELECT FROM touched WHERE touched.product_id = t.id))
    RETURNING 1
  ), inserted AS (
    INSERT INTO products (shop_id, id, external_id, ${p()}, published_at, created_at, updated_at,
                          variant_count, min_price, max_price, total_stock)
    SELECT $1, id, external_id, ${p()}, published_at, created_at, coalesce(updated_at, $4::timestamptz),
           variant_count, min_price, max_price, total_stock
      FROM final WHERE is_new
    RETURNING 1
  )
  SELECT (SELECT count(*)::integer FROM inserted) AS created,
         (SELECT count(*)::integer FROM updated) AS updated,
         (SELECT count(*)::integer FROM inserted_variant) AS variants_created,
         (SELECT count(*)::integer FROM updated_variant) AS variants_updated,
         (SELECT count(*)::integer FROM removed_variant) AS variants_removed`;

/** Soft-deletes products: $1 shop, $2 their external ids, $3 now. `found` counts those that were there, `deleted` those still alive. */
export const deleteProductsStatement = `
  WITH found AS MATERIALIZED (
    SELECT t.ctid, t.deleted_at
      FROM unnest($2::text[]) AS g (external_id)
     CROSS JOIN LATERAL (
       SELECT o.ctid, o.deleted_at FROM products AS o
        WHERE o.shop_id = $1 AND o.external_id = g.external_id LIMIT 1) AS t
  ), deleted AS (
    UPDATE products AS t SET deleted_at = $3::timestamptz
      FROM found WHERE t.ctid = found.ctid AND found.deleted_at IS NULL
    RETURNING 1
  )
  SELECT (SELECT count(*)::integer FROM found) AS found, (SELECT count(*)::integer FROM deleted) AS deleted`;
