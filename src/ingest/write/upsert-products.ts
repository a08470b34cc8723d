import type { ContentChanges } from './import-report';
import type { AbsentFromProducts, OptionCount, ProductValues, VariantValues } from '../formats/record';
import { findByExternalId, findVariantByExternalId, findVariants, ofShop } from './look-ups';
import { stagedProducts, stagedVariants } from './staged-products';
import { listColumns, productColumns, variantColumns } from './table-columns';

const storedProduct = `o.ctid, o.id, o.created_at, o.updated_at, o.published_at, o.deleted_at,
  o.variant_count, o.min_price, o.max_price, o.total_stock, ${listColumns(productColumns, 'o')}`;

/** The result of the statement. */
export interface WrittenProducts {
  readonly created: number;
  readonly updated: number;
  readonly variants_created: number;
  readonly variants_updated: number;
  readonly variants_removed: number;
  /** Products with variants for which the file does not show which one a row means, and the handles of some of them. */
  readonly unclear: number;
  readonly unclear_examples: readonly string[] | null;
  readonly changes: ContentChanges;
  /** The external ids of an object that is stored under another id than the file gives it, for each table. */
  readonly other_id_product: string | null;
  readonly other_id_variant: string | null;
}

/** Of a file that has everything. */
export const nothingAbsent: AbsentFromProducts = {
  product: new Set(),
  variant: new Set(),
  weightUnit: false,
  optionValues: 3,
};

/** Members without a column keep their stored values. */
const keptIf = (isAbsent: boolean, column: string): string =>
  isAbsent ? `CASE WHEN t.id IS NULL THEN g.${column} ELSE t.${column} END` : `g.${column}`;

/** Whether the weight stored in another unit equals, in grams, the weight of the file. */
const isSameWeight = `round(t.weight::numeric * CASE t.weight_unit WHEN 'kg' THEN 1000 WHEN 'lb' THEN 453.59237
             WHEN 'oz' THEN 28.349523125 END, scale(g.weight::numeric)) = g.weight::numeric`;

/** Stored options, with the names that the file gives to the first of them. */
const renamedOptions = `CASE WHEN jsonb_array_length(t.options) > jsonb_array_length(g.options)
             THEN (SELECT jsonb_agg(coalesce(g.options -> (o.at::integer - 1), o.item) ORDER BY o.at)
                     FROM jsonb_array_elements(t.options) WITH ORDINALITY AS o (item, at))
             ELSE g.options END`;

function variantValue(column: keyof typeof variantColumns, { variant, weightUnit, optionValues }: AbsentFromProducts) {
  if (weightUnit && (column === 'weight' || column === 'weight_unit')) {
    return `CASE WHEN ${isSameWeight} THEN t.${column} ELSE g.${column} END`;
  }
  if (column === 'options' && optionValues < 3 && !variant.has('options')) return renamedOptions;
  return keptIf(variant.has(column), column);
}

/** Whether two variants have the same values of their first options. */
const sameOptions = (a: string, b: string, count: OptionCount): string =>
  ['true', ...[0, 1, 2].slice(0, count).map((at) => `${firstValue(a, at)} = ${firstValue(b, at)}`)].join(' AND ');
const firstValue = (table: string, at: number): string => `coalesce(${table}.options -> ${at} ->> 'value', '')`;

/** The columns of variants from which the derived columns of their product are computed. */
const derivedFrom = ['price', 'position', 'inventory_quantity'] as const;

/** Whether the rows of the file name the variants of a product, all of them. */
const areNamed = ({ optionValues, variants }: AbsentFromProducts): boolean => optionValues === 3 && !variants;

/**
 * The staged variants (g), each beside its product and the stored one that it means (t), and the stored ones that none
 * of them means. The variants of a product are fetched together, by one look-up for each product. A full join leaves
 * the planner no choice but to hash.
 */
const joinByName = `${stagedVariants} AS g
      FULL JOIN (SELECT product.n, o.*, 1 AS matches
                   FROM product CROSS JOIN LATERAL (${findVariants('o.ctid AS tid, o.*', 'product')}) AS o) AS t
        ON t.n = g.n AND t.external_id = g.external_id
      JOIN product ON product.n = coalesce(g.n, t.n)`;

/** Rows without all option values may mean several stored variants: `matches` is their number. */
function joinByOptions(count: OptionCount): string {
  const byName = (columns: string): string => findVariantByExternalId(columns, 'product', 'g.external_id');
  return `${stagedVariants} AS g
      JOIN product USING (n)
      LEFT JOIN LATERAL (
          (${byName('o.ctid AS tid, o.*, 1::bigint AS matches')})
          UNION ALL
          (SELECT o.*, count(*) OVER () FROM (${findVariants('o.ctid AS tid, o.*', 'product')}) AS o
            WHERE ${sameOptions('o', 'g', count)} AND NOT EXISTS (${byName('')})) LIMIT 1) AS t ON true`;
}

/** The stored variants that no row of the file can mean. */
function findAbsentVariants(absent: AbsentFromProducts): string {
  if (areNamed(absent)) return 'SELECT ctid, id, product_id FROM joined WHERE staged IS NULL';
  const isAbsent = absent.variants
    ? 'false'
    : `NOT EXISTS (SELECT FROM variant AS g WHERE g.product_id = product.id AND ${sameOptions('t', 'g', absent.optionValues)})`;
  return `SELECT t.ctid, t.id, product.id AS product_id
      FROM product CROSS JOIN LATERAL (${findVariants('o.ctid, o.id, o.options', 'product')}) AS t
     WHERE ${isAbsent}`;
}

/** The variants that a product has after the statement. */
const finalVariants = (absent: AbsentFromProducts): string =>
  areNamed(absent)
    ? 'variant'
    : `(SELECT product_id, id, price, position, inventory_quantity FROM variant WHERE matches = 1
         UNION ALL
        SELECT o.product_id, o.id, o.price, o.position, o.inventory_quantity
          FROM product CROSS JOIN LATERAL (${findVariants('o.*', 'product')}) AS o
         WHERE o.id NOT IN (SELECT id FROM variant WHERE matches = 1)
           AND o.id NOT IN (SELECT id FROM absent_variant)) AS v`;

/** Whether the statement changes the inputs of a product's derived columns. A new product has nothing to keep. */
const isDerived = '(c.product_id IS NOT NULL OR product.is_new)';

/** Where the creation time of a product is unknown, the products of a run follow each other in file order. */
const timeInFile = `$2::timestamptz + ($3::integer + g.n) * interval '1 ms'`;

/**
 * Writes the staged products with their variants (`n` identifies the product of a variant): $1 shop, $2 now, $3 the
 * number of products before. All is one statement, with correct derived columns: the triggers, which run afterwards,
 * then find nothing to correct. The order in `derived` is the same as theirs, so that of two spellings of one price
 * both choose the same. A product none of whose variants changed has correct ones already. Only rows that differ are
 * written, and variants that a product no longer has are deleted. Where the format has no timestamps, updated_at
 * changes when the row, or a variant of the product, changed. Look-ups and ctid leave the planner no choice: see
 * look-ups and upsert-rows. Values stay in the staged and the stored rows until a row is written: the common tables
 * hold what identifies both (`staged`, `ctid`), and what was compared. New rows are written in the order of the file,
 * which a hash join does not keep.
 */
export const upsertProductsStatement = (absent: AbsentFromProducts = nothingAbsent): string => {
  const { product, optionValues } = absent;
  const productNames = Object.keys(productColumns) as (keyof ProductValues & keyof typeof productColumns)[];
  const variantNames = Object.keys(variantColumns) as (keyof VariantValues & keyof typeof variantColumns)[];
  const comparedNames = productNames.filter((name) => name !== 'image_url' && name !== 'description_html');
  const value = (column: keyof ProductValues): string => keptIf(product.has(column), column);
  const values = (names: readonly (keyof ProductValues)[]): string => names.map(value).join(', ');
  const carried = areNamed(absent) ? derivedFrom : ([...derivedFrom, 'options'] as const);
  const variantValues = variantNames.map((column) => variantValue(column, absent)).join(', ');
  const [p, v] = [listColumns(productColumns), listColumns(variantColumns)];
  const publishedIfGiven = `CASE WHEN g.published IS NULL THEN g.published_at
                WHEN g.published THEN coalesce(t.published_at, g.created_at, t.created_at, ${timeInFile}) END`;
  const createdAt = `coalesce(g.created_at, t.created_at, ${timeInFile})`;
  const publishedAt = product.has('published_at')
    ? `CASE WHEN t.id IS NULL THEN ${publishedIfGiven} ELSE t.published_at END`
    : publishedIfGiven;
  const unclear = areNamed(absent)
    ? 'SELECT 0 AS unclear, NULL::text[] AS unclear_examples'
    : `SELECT count(*)::integer AS unclear, (array_agg(DISTINCT handle))[1:3] AS unclear_examples
            FROM product WHERE id IN (SELECT product_id FROM variant WHERE matches > 1)`;
  return `
  WITH product AS MATERIALIZED (
    SELECT g.n, g.ctid AS staged, g.updated_at, t.ctid, t.id IS NULL AS is_new, coalesce(t.id, g.id, gen_random_uuid()) AS id,
           CASE WHEN t.id <> g.id THEN g.external_id END AS with_other_id,
           ${areNamed(absent) ? '' : `${value('handle')} AS handle,`}
           ${createdAt} AS created_at, ${publishedAt} AS published_at,
           t.variant_count AS old_count, t.min_price AS old_min_price, t.max_price AS old_max_price, t.total_stock AS old_stock,
           (${comparedNames.map((name) => `t.${name}`).join(', ')}, t.published_at, t.created_at, t.updated_at, t.deleted_at)
             IS DISTINCT FROM (${values(comparedNames)},
               ${publishedAt}, ${createdAt}, coalesce(g.updated_at, t.updated_at), NULL::timestamptz) AS has_other_values,
           CASE WHEN t.deleted_at IS NULL THEN t.total_stock END AS stock_before,
           t.image_url IS NOT NULL AND t.deleted_at IS NULL AS had_image,
           t.description_html IS NOT NULL AND t.deleted_at IS NULL AS had_description,
           ${value('image_url')} IS NOT NULL AS has_image,
           ${value('description_html')} IS NOT NULL AS has_description,
           t.image_url IS DISTINCT FROM ${value('image_url')} AS has_other_image,
           t.description_html IS DISTINCT FROM ${value('description_html')} AS has_other_description
      FROM ${stagedProducts} AS g
      LEFT JOIN LATERAL (${findByExternalId('products', storedProduct, 'g.external_id')}) AS t ON true
  ), joined AS MATERIALIZED (
    SELECT g.ctid AS staged, product.id AS product_id, t.tid AS ctid, t.id IS NULL AS is_new,
           coalesce(t.id, g.id, gen_random_uuid()) AS id, CASE WHEN t.id <> g.id THEN g.external_id END AS with_other_id,
           coalesce(t.matches, 1) AS matches,
           ${carried.map((column) => `${variantValue(column, absent)} AS ${column}`).join(', ')},
           coalesce(g.created_at, t.created_at, CASE WHEN product.is_new THEN greatest(product.created_at, $2::timestamptz) END, $2::timestamptz) AS created_at,
           coalesce(g.updated_at, CASE WHEN product.is_new THEN greatest(product.created_at, $2::timestamptz) END, $2::timestamptz) AS updated_at,
           (${listColumns(variantColumns, 't')}, t.created_at, t.updated_at)
             IS DISTINCT FROM (${variantValues}, coalesce(g.created_at, t.created_at), coalesce(g.updated_at, t.updated_at))
             AS is_changed,
           t.inventory_quantity IS DISTINCT FROM ${variantValue('inventory_quantity', absent)} AS has_other_stock
      FROM ${areNamed(absent) ? joinByName : joinByOptions(optionValues)}
  ), variant AS NOT MATERIALIZED (
    SELECT * FROM joined WHERE staged IS NOT NULL
  ), absent_variant AS MATERIALIZED (
    ${findAbsentVariants(absent)}
  ), removed_variant AS (
    DELETE FROM variants AS t USING absent_variant AS a WHERE ${ofShop} AND t.ctid = a.ctid
    RETURNING 1
  ), updated_variant AS (
    UPDATE variants AS t SET (${v}, created_at, updated_at) = (${variantValues}, w.created_at, w.updated_at)
      FROM variant AS w JOIN ${stagedVariants} AS g ON g.ctid = w.staged
     WHERE ${ofShop} AND t.ctid = w.ctid AND w.is_changed AND NOT w.is_new AND w.matches = 1
    RETURNING 1
  ), inserted_variant AS (
    INSERT INTO variants (shop_id, product_id, id, external_id, ${v}, created_at, updated_at)
    SELECT $1, w.product_id, w.id, g.external_id, ${listColumns(variantColumns, 'g')}, w.created_at, w.updated_at
      FROM (SELECT * FROM variant WHERE is_new ORDER BY staged) AS w JOIN ${stagedVariants} AS g ON g.ctid = w.staged
    RETURNING 1
  ), touched AS MATERIALIZED (
    SELECT product_id FROM absent_variant
    UNION SELECT product_id FROM variant WHERE is_new OR is_changed AND matches = 1
  ), derived AS (
    SELECT product_id, count(*)::integer AS variant_count,
           (array_agg(price ORDER BY price::numeric, position, id) FILTER (WHERE price IS NOT NULL))[1] AS min_price,
           (array_agg(price ORDER BY price::numeric DESC, position, id) FILTER (WHERE price IS NOT NULL))[1] AS max_price,
           sum(inventory_quantity)::bigint AS total_stock
      FROM ${finalVariants(absent)} WHERE product_id IN (SELECT product_id FROM touched) GROUP BY product_id
  ), final AS MATERIALIZED (
    SELECT product.*, f.*,
           product.has_other_values OR product.has_other_image OR product.has_other_description
             OR product.updated_at IS NULL AND f.is_touched
             OR (f.variant_count, f.min_price, f.max_price, f.total_stock)
                  IS DISTINCT FROM (product.old_count, product.old_min_price, product.old_max_price, product.old_stock)
             AS is_changed
      FROM product
      LEFT JOIN touched AS c ON c.product_id = product.id
      LEFT JOIN derived AS d ON d.product_id = product.id
     CROSS JOIN LATERAL (
       SELECT c.product_id IS NOT NULL AS is_touched,
              coalesce(CASE WHEN ${isDerived} THEN d.variant_count ELSE product.old_count END, 0) AS variant_count,
              CASE WHEN ${isDerived} THEN d.min_price ELSE product.old_min_price END AS min_price,
              CASE WHEN ${isDerived} THEN d.max_price ELSE product.old_max_price END AS max_price,
              coalesce(CASE WHEN ${isDerived} THEN d.total_stock ELSE product.old_stock END, 0) AS total_stock) AS f
  ), updated AS (
    UPDATE products AS t
       SET (${p}, published_at, created_at, updated_at, deleted_at, variant_count, min_price, max_price, total_stock)
         = (${values(productNames)}, f.published_at, f.created_at, coalesce(f.updated_at, $2::timestamptz), NULL,
            f.variant_count, f.min_price, f.max_price, f.total_stock)
      FROM final AS f JOIN ${stagedProducts} AS g ON g.ctid = f.staged
     WHERE ${ofShop} AND t.ctid = f.ctid AND f.is_changed AND NOT f.is_new
    RETURNING 1
  ), inserted AS (
    INSERT INTO products (shop_id, id, external_id, ${p}, published_at, created_at, updated_at,
                          variant_count, min_price, max_price, total_stock)
    SELECT $1, f.id, g.external_id, ${listColumns(productColumns, 'g')}, f.published_at, f.created_at,
           coalesce(f.updated_at, greatest(f.created_at, $2::timestamptz)),
           f.variant_count, f.min_price, f.max_price, f.total_stock
      FROM (SELECT * FROM final WHERE is_new ORDER BY staged) AS f JOIN ${stagedProducts} AS g ON g.ctid = f.staged
    RETURNING 1
  )
  SELECT (SELECT count(*)::integer FROM inserted) AS created,
         (SELECT count(*)::integer FROM updated) AS updated,
         (SELECT count(*)::integer FROM inserted_variant) AS variants_created,
         (SELECT count(*)::integer FROM updated_variant) AS variants_updated,
         (SELECT count(*)::integer FROM removed_variant) AS variants_removed,
         (SELECT min(with_other_id) FROM product) AS other_id_product,
         (SELECT min(with_other_id) FROM variant) AS other_id_variant,
         unclear.*, (SELECT row_to_json(c) FROM (${contentChanges}) AS c) AS changes
    FROM (${unclear}) AS unclear`;
};

const contentChanges = `
  SELECT coalesce(sum(total_stock - coalesce(stock_before, 0)), 0)::text AS stock,
         (SELECT count(*)::integer FROM variant WHERE has_other_stock AND NOT is_new AND matches = 1) AS stock_variants,
         (count(*) FILTER (WHERE has_image AND NOT had_image))::integer AS images_added,
         (count(*) FILTER (WHERE NOT has_image AND had_image))::integer AS images_removed,
         (count(*) FILTER (WHERE has_image AND had_image AND has_other_image))::integer AS images_replaced,
         (count(*) FILTER (WHERE has_description AND NOT had_description))::integer AS descriptions_added,
         (count(*) FILTER (WHERE NOT has_description AND had_description))::integer AS descriptions_removed,
         (count(*) FILTER (WHERE has_description AND had_description AND has_other_description))::integer
           AS descriptions_replaced
    FROM final`;

/**
 * Soft-deletes products: $1 shop, $2 their external ids, $3 now. `found` counts those that existed, `deleted` those
 * still live.
 */
export const deleteProductsStatement = `
  WITH found AS MATERIALIZED (
    SELECT t.*
      FROM unnest($2::text[]) AS g (external_id)
     CROSS JOIN LATERAL (${findByExternalId('products', 'o.ctid, o.deleted_at', 'g.external_id')}) AS t
  ), deleted AS (
    UPDATE products AS t SET deleted_at = $3::timestamptz
      FROM found WHERE ${ofShop} AND t.ctid = found.ctid AND found.deleted_at IS NULL
    RETURNING t.total_stock, t.image_url, t.description_html
  )
  SELECT (SELECT count(*)::integer FROM found) AS found, (SELECT count(*)::integer FROM deleted) AS deleted,
         (SELECT row_to_json(c) FROM (${changesOfGone('deleted')}) AS c) AS changes`;

/** What deleted products remove with them. */
export function changesOfGone(table: string): string {
  return `SELECT (-coalesce(sum(total_stock), 0))::text AS stock, count(image_url)::integer AS images_removed,
                 count(description_html)::integer AS descriptions_removed FROM ${table}`;
}
