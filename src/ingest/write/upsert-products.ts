import type { ContentChanges } from './import-report';
import { toAbsent } from '../formats/rules';
import type { AbsentFromProducts, OptionCount, ProductValues, VariantValues } from '../formats/record';
import { keptSkuCharacters } from '../../database/sql-constants';
import { findByExternalId, findVariantByExternalId, findVariants, ofShop } from './lookups';
import { listColumns, productColumns, stagedTable, variantColumns } from './staging';

const [stagedProducts, stagedVariants] = [stagedTable('products'), stagedTable('variants')];

const storedProduct = `found.ctid, found.id, found.created_at, found.updated_at, found.published_at, found.deleted_at,
  found.variant_count, found.min_price, found.max_price, found.total_stock, found.skus, ${listColumns(productColumns, 'found')}`;

/** The result of the statement. */
export interface WrittenProducts {
  readonly created: number;
  readonly updated: number;
  readonly variants_created: number;
  readonly variants_updated: number;
  readonly variants_removed: number;
  /** Products with rows that match several stored variants, and the handles of some of them. */
  readonly unclear: number;
  readonly unclear_examples: readonly string[] | null;
  readonly changes: ContentChanges;
  /** The external ids of an object that is stored under a different id than the one in the file, for each table. */
  readonly other_id_product: string | null;
  readonly other_id_variant: string | null;
}

/** Members without a column keep their stored values. */
const keptIf = (isAbsent: boolean, column: string): string =>
  isAbsent ? `CASE WHEN stored.id IS NULL THEN given.${column} ELSE stored.${column} END` : `given.${column}`;

/** The memberships of a file that has no positions: those of collections that the product stays in are kept. */
const withKeptPositions = `(
    SELECT coalesce(jsonb_agg(one || jsonb_build_object('position', positions -> (one ->> 'collection_external_id')) ORDER BY number), '[]')
      FROM (SELECT jsonb_object_agg(one ->> 'collection_external_id', one -> 'position') AS positions
              FROM jsonb_array_elements(stored.memberships) AS kept (one)) AS kept,
           jsonb_array_elements(given.memberships) WITH ORDINALITY AS item (one, number))`;

/** Whether the weight stored in another unit equals, in grams, the weight of the file. */
const isSameWeight = `round(stored.weight::numeric * CASE stored.weight_unit WHEN 'kg' THEN 1000 WHEN 'lb' THEN 453.59237
             WHEN 'oz' THEN 28.349523125 END, scale(given.weight::numeric)) = given.weight::numeric`;

/** Stored options, with the names that the file gives to the first of them. */
const renamedOptions = `CASE WHEN jsonb_array_length(stored.options) > jsonb_array_length(given.options)
             THEN (SELECT jsonb_agg(coalesce(given.options -> (each.at::integer - 1), each.item) ORDER BY each.at)
                     FROM jsonb_array_elements(stored.options) WITH ORDINALITY AS each (item, at))
             ELSE given.options END`;

function variantValue(column: keyof VariantValues, { variant, weightUnit, optionValues }: AbsentFromProducts) {
  if (weightUnit && (column === 'weight' || column === 'weight_unit')) {
    return `CASE WHEN ${isSameWeight} THEN stored.${column} ELSE given.${column} END`;
  }
  if (column === 'options' && optionValues < 3 && !variant.has('options')) return renamedOptions;
  return keptIf(variant.has(column), column);
}

/** Whether two variants have the same values of their first options. */
const sameOptions = (stored: string, count: OptionCount): string =>
  ['true', ...[0, 1, 2].slice(0, count).map((at) => `${firstValue(stored, at)} = ${firstValue('given', at)}`)].join(
    ' AND ',
  );
const firstValue = (table: string, at: number): string => `coalesce(${table}.options -> ${at} ->> 'value', '')`;

/** The columns of variants from which the derived columns of their product are computed. */
const derivedFrom = ['price', 'position', 'inventory_quantity', 'sku'] as const;

/** Whether the rows of the file identify every variant of a product. */
const areNamed = ({ optionValues, variants }: AbsentFromProducts): boolean => optionValues === 3 && !variants;

/**
 * The staged variants (`given`), each with its product and the stored variant that it matches (`stored`), and the
 * stored variants without a match. The variants of a product are fetched together, by one lookup for each product. A
 * full join leaves the planner no choice but to hash.
 */
const joinByName = `${stagedVariants} AS given
      FULL JOIN (SELECT product.number, found.*, 1 AS matches
                   FROM product CROSS JOIN LATERAL (${findVariants('found.ctid AS tid, found.*')}) AS found) AS stored
        ON stored.number = given.number AND stored.external_id = given.external_id
      JOIN product ON product.number = coalesce(given.number, stored.number)`;

/** Rows without all option values may match several stored variants: `matches` is their number. */
function joinByOptions(count: OptionCount): string {
  return `${stagedVariants} AS given
      JOIN product USING (number)
      LEFT JOIN LATERAL (
          (${findVariantByExternalId('found.ctid AS tid, found.*, 1::bigint AS matches')})
          UNION ALL
          (SELECT found.*, count(*) OVER () FROM (${findVariants('found.ctid AS tid, found.*')}) AS found
            WHERE ${sameOptions('found', count)} AND NOT EXISTS (${findVariantByExternalId('')})) LIMIT 1) AS stored ON true`;
}

/** The stored variants that no row of the file matches. */
function findAbsentVariants(absent: AbsentFromProducts): string {
  if (areNamed(absent)) return 'SELECT ctid, id, product_id FROM joined WHERE staged IS NULL';
  const isAbsent = absent.variants
    ? 'false'
    : `NOT EXISTS (SELECT FROM variant AS given
                    WHERE given.product_id = product.id AND ${sameOptions('stored', absent.optionValues)})`;
  return `SELECT stored.ctid, stored.id, product.id AS product_id
      FROM product CROSS JOIN LATERAL (${findVariants('found.ctid, found.id, found.options')}) AS stored
     WHERE ${isAbsent}`;
}

/** The variants that a product has after the statement. */
const finalVariants = (absent: AbsentFromProducts): string =>
  areNamed(absent)
    ? 'variant'
    : `(SELECT product_id, id, price, position, inventory_quantity, sku FROM variant WHERE matches = 1
         UNION ALL
        SELECT found.product_id, found.id, found.price, found.position, found.inventory_quantity, found.sku
          FROM product CROSS JOIN LATERAL (${findVariants('found.*')}) AS found
         WHERE found.id NOT IN (SELECT id FROM variant WHERE matches = 1)
           AND found.id NOT IN (SELECT id FROM absent_variant)) AS remaining`;

/** Whether the statement changes the inputs of a product's derived columns. A new product has nothing to keep. */
const isDerived = '(touched.product_id IS NOT NULL OR product.is_new)';

/** For variants without timestamps of their own. */
const timeOfVariant = `CASE WHEN product.is_new THEN greatest(product.created_at, $2::timestamptz) ELSE $2::timestamptz END`;

/** Products of an unknown creation time are created in file order, 1 ms apart. */
const timeInFile = `$2::timestamptz + ($3::integer + given.number) * interval '1 ms'`;

/**
 * Writes the staged products with their variants (`number` identifies the product of a variant): $1 shop, $2 now, $3
 * the number of products before. This one statement also sets the derived columns, so the triggers, which run
 * afterwards, find nothing to correct. `derived` sorts as they do, so that both choose the same of two spellings of one
 * price. A product without changed variants keeps its derived columns. Only rows that differ are written, and variants
 * that a product no longer has are deleted. Where the format has no timestamps, updated_at changes when the row, or a
 * variant of the product, changed. Lookups and ctid leave the planner no choice: see lookups.ts. Values stay in the
 * staged and the stored rows until a row is written: the common table expressions hold only what identifies both
 * (`staged`, `ctid`) and the results of comparisons. New rows are written in the order of the file, which a hash join
 * does not keep. `node docs/statements.mjs import` prints it.
 */
export const upsertProductsStatement = (absent: AbsentFromProducts = toAbsent([], [])): string => {
  const { product, optionValues } = absent;
  const comparedNames = productColumns.filter((name) => name !== 'image_url' && name !== 'description_html');
  const value = (column: keyof ProductValues): string =>
    column === 'memberships' && product.has('positions') && !product.has(column)
      ? withKeptPositions
      : keptIf(product.has(column), column);
  const values = (names: readonly (keyof ProductValues)[]): string => names.map(value).join(', ');
  const carried = areNamed(absent) ? derivedFrom : ([...derivedFrom, 'options'] as const);
  const variantValues = variantColumns.map((column) => variantValue(column, absent)).join(', ');
  const [productList, variantList] = [listColumns(productColumns), listColumns(variantColumns)];
  const publishedIfGiven = `CASE WHEN given.published IS NULL THEN given.published_at
                WHEN given.published THEN coalesce(stored.published_at, given.created_at, stored.created_at, ${timeInFile}) END`;
  const createdAt = `coalesce(given.created_at, stored.created_at, ${timeInFile})`;
  const publishedAt = product.has('published_at')
    ? `CASE WHEN stored.id IS NULL THEN ${publishedIfGiven} ELSE stored.published_at END`
    : publishedIfGiven;
  const unclear = areNamed(absent)
    ? 'SELECT 0 AS unclear, NULL::text[] AS unclear_examples'
    : `SELECT count(*)::integer AS unclear, (array_agg(DISTINCT handle))[1:3] AS unclear_examples
            FROM product WHERE id IN (SELECT product_id FROM variant WHERE matches > 1)`;
  return `
  WITH product AS MATERIALIZED (
    SELECT given.number, given.ctid AS staged, given.updated_at, stored.ctid, stored.id IS NULL AS is_new,
           coalesce(stored.id, given.id, gen_random_uuid()) AS id,
           CASE WHEN stored.id <> given.id THEN given.external_id END AS with_other_id,
           ${areNamed(absent) ? '' : `${value('handle')} AS handle,`}
           ${createdAt} AS created_at, ${publishedAt} AS published_at,
           stored.variant_count AS old_count, stored.min_price AS old_min_price,
           stored.max_price AS old_max_price, stored.total_stock AS old_stock, stored.skus AS old_skus,
           (${comparedNames.map((name) => `stored.${name}`).join(', ')},
            stored.published_at, stored.created_at, stored.updated_at, stored.deleted_at)
             IS DISTINCT FROM (${values(comparedNames)},
               ${publishedAt}, ${createdAt}, coalesce(given.updated_at, stored.updated_at), NULL::timestamptz)
             AS has_other_values,
           CASE WHEN stored.deleted_at IS NULL THEN stored.total_stock END AS stock_before,
           stored.image_url IS NOT NULL AND stored.deleted_at IS NULL AS had_image,
           stored.description_html IS NOT NULL AND stored.deleted_at IS NULL AS had_description,
           ${value('image_url')} IS NOT NULL AS has_image,
           ${value('description_html')} IS NOT NULL AS has_description,
           stored.image_url IS DISTINCT FROM ${value('image_url')} AS has_other_image,
           stored.description_html IS DISTINCT FROM ${value('description_html')} AS has_other_description
      FROM ${stagedProducts} AS given
      LEFT JOIN LATERAL (${findByExternalId('products', storedProduct)}) AS stored ON true
  ), joined AS MATERIALIZED (
    SELECT given.ctid AS staged, product.id AS product_id, stored.tid AS ctid, stored.id IS NULL AS is_new,
           coalesce(stored.id, given.id, gen_random_uuid()) AS id,
           CASE WHEN stored.id <> given.id THEN given.external_id END AS with_other_id,
           coalesce(stored.matches, 1) AS matches,
           ${carried.map((column) => `${variantValue(column, absent)} AS ${column}`).join(', ')},
           coalesce(given.created_at, stored.created_at, ${timeOfVariant}) AS created_at,
           coalesce(given.updated_at, ${timeOfVariant}) AS updated_at,
           (${listColumns(variantColumns, 'stored')}, stored.created_at, stored.updated_at)
             IS DISTINCT FROM (${variantValues},
               coalesce(given.created_at, stored.created_at), coalesce(given.updated_at, stored.updated_at))
             AS is_changed,
           stored.inventory_quantity IS DISTINCT FROM ${variantValue('inventory_quantity', absent)} AS has_other_stock
      FROM ${areNamed(absent) ? joinByName : joinByOptions(optionValues)}
  ), variant AS NOT MATERIALIZED (
    SELECT * FROM joined WHERE staged IS NOT NULL
  ), absent_variant AS MATERIALIZED (
    ${findAbsentVariants(absent)}
  ), removed_variant AS (
    DELETE FROM variants AS stored USING absent_variant WHERE ${ofShop} AND stored.ctid = absent_variant.ctid
    RETURNING 1
  ), updated_variant AS (
    UPDATE variants AS stored
       SET (${variantList}, created_at, updated_at) = (${variantValues}, variant.created_at, variant.updated_at)
      FROM variant JOIN ${stagedVariants} AS given ON given.ctid = variant.staged
     WHERE ${ofShop} AND stored.ctid = variant.ctid
       AND variant.is_changed AND NOT variant.is_new AND variant.matches = 1
    RETURNING 1
  ), inserted_variant AS (
    INSERT INTO variants (shop_id, product_id, id, external_id, ${variantList}, created_at, updated_at)
    SELECT $1, variant.product_id, variant.id, given.external_id, ${listColumns(variantColumns, 'given')},
           variant.created_at, variant.updated_at
      FROM (SELECT * FROM variant WHERE is_new ORDER BY staged) AS variant
      JOIN ${stagedVariants} AS given ON given.ctid = variant.staged
    RETURNING 1
  ), touched AS MATERIALIZED (
    SELECT product_id FROM absent_variant
    UNION SELECT product_id FROM variant WHERE is_new OR is_changed AND matches = 1
  ), derived AS (
    SELECT product_id, count(*)::integer AS variant_count,
           (array_agg(price ORDER BY price::numeric, position, id) FILTER (WHERE price IS NOT NULL))[1] AS min_price,
           (array_agg(price ORDER BY price::numeric DESC, position, id) FILTER (WHERE price IS NOT NULL))[1] AS max_price,
           sum(inventory_quantity)::bigint AS total_stock,
           left(string_agg(DISTINCT sku COLLATE "C", ' ' ORDER BY sku COLLATE "C"), ${keptSkuCharacters}) AS skus
      FROM ${finalVariants(absent)} WHERE product_id IN (SELECT product_id FROM touched) GROUP BY product_id
  ), final AS MATERIALIZED (
    SELECT product.*, result.*,
           product.has_other_values OR product.has_other_image OR product.has_other_description
             OR product.updated_at IS NULL AND result.is_touched
             OR (result.variant_count, result.min_price, result.max_price, result.total_stock, result.skus)
                  IS DISTINCT FROM (product.old_count, product.old_min_price, product.old_max_price, product.old_stock, product.old_skus)
             AS is_changed
      FROM product
      LEFT JOIN touched ON touched.product_id = product.id
      LEFT JOIN derived ON derived.product_id = product.id
     CROSS JOIN LATERAL (
       SELECT touched.product_id IS NOT NULL AS is_touched,
              coalesce(CASE WHEN ${isDerived} THEN derived.variant_count ELSE product.old_count END, 0) AS variant_count,
              CASE WHEN ${isDerived} THEN derived.min_price ELSE product.old_min_price END AS min_price,
              CASE WHEN ${isDerived} THEN derived.max_price ELSE product.old_max_price END AS max_price,
              coalesce(CASE WHEN ${isDerived} THEN derived.total_stock ELSE product.old_stock END, 0) AS total_stock,
              CASE WHEN ${isDerived} THEN derived.skus ELSE product.old_skus END AS skus) AS result
  ), updated AS (
    UPDATE products AS stored
       SET (${productList}, published_at, created_at, updated_at, deleted_at, variant_count, min_price, max_price, total_stock, skus)
         = (${values(productColumns)}, final.published_at, final.created_at, coalesce(final.updated_at, $2::timestamptz), NULL,
            final.variant_count, final.min_price, final.max_price, final.total_stock, final.skus)
      FROM final JOIN ${stagedProducts} AS given ON given.ctid = final.staged
     WHERE ${ofShop} AND stored.ctid = final.ctid AND final.is_changed AND NOT final.is_new
    RETURNING 1
  ), inserted AS (
    INSERT INTO products (shop_id, id, external_id, ${productList}, published_at, created_at, updated_at,
                          variant_count, min_price, max_price, total_stock, skus)
    SELECT $1, final.id, given.external_id, ${listColumns(productColumns, 'given')},
           final.published_at, final.created_at, coalesce(final.updated_at, greatest(final.created_at, $2::timestamptz)),
           final.variant_count, final.min_price, final.max_price, final.total_stock, final.skus
      FROM (SELECT * FROM final WHERE is_new ORDER BY staged) AS final
      JOIN ${stagedProducts} AS given ON given.ctid = final.staged
    RETURNING 1
  )
  SELECT (SELECT count(*)::integer FROM inserted) AS created,
         (SELECT count(*)::integer FROM updated) AS updated,
         (SELECT count(*)::integer FROM inserted_variant) AS variants_created,
         (SELECT count(*)::integer FROM updated_variant) AS variants_updated,
         (SELECT count(*)::integer FROM removed_variant) AS variants_removed,
         (SELECT min(with_other_id) FROM product) AS other_id_product,
         (SELECT min(with_other_id) FROM variant) AS other_id_variant,
         unclear.*, (SELECT row_to_json(content) FROM (${contentChanges}) AS content) AS changes
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
    SELECT stored.*
      FROM unnest($2::text[]) AS given (external_id)
     CROSS JOIN LATERAL (${findByExternalId('products', 'found.ctid, found.deleted_at')}) AS stored
  ), deleted AS (
    UPDATE products AS stored SET deleted_at = $3::timestamptz
      FROM found WHERE ${ofShop} AND stored.ctid = found.ctid AND found.deleted_at IS NULL
    RETURNING stored.total_stock, stored.image_url, stored.description_html
  )
  SELECT (SELECT count(*)::integer FROM found) AS found, (SELECT count(*)::integer FROM deleted) AS deleted,
         (SELECT row_to_json(content) FROM (${changesOfGone('deleted')}) AS content) AS changes`;

/** What deleting products removes from the shop's content. */
export function changesOfGone(table: string): string {
  return `SELECT (-coalesce(sum(total_stock), 0))::text AS stock, count(image_url)::integer AS images_removed,
                 count(description_html)::integer AS descriptions_removed FROM ${table}`;
}
