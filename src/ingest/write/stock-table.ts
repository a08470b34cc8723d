import { DatabaseError } from 'pg';
import { constraintOf } from '../../database/sharding/shard-groups';
import { maskAddresses } from '../../privacy/addresses';
import { ImportError } from '../values/import-error';
import { type ContentCounter, type InventoryReport } from './import-report';
import type { StockRecord } from '../formats/record';
import { safeBounds } from '../values/numbers';
import { compareTables, lookUpRows, type Query } from './import-transaction';
import { findById, ofShop } from './lookups';

const maxRows = 2_000;
const productsPerBatch = 500;
const maxExamples = 5;

/**
 * The stock by location that the files contain, stored in the database until all files are read: locations may be in
 * any order and in several files, and the products may come later.
 */
export class StockTable {
  #rows: (StockRecord & { readonly file: string })[] = [];
  #isCreated = false;

  constructor(
    private readonly query: Query,
    private readonly shopId: string,
  ) {}

  async add(file: string, record: StockRecord): Promise<void> {
    this.#rows.push({ ...record, file });
    if (this.#rows.length >= maxRows) await this.#flush();
  }

  /**
   * Writes the total stock to the shop's variants, including variants from other files and programs.
   * @returns undefined when no file contained any
   * @throws ImportError when a location appears twice for one variant, or a sum is too large
   */
  async apply(now: string, changes: ContentCounter): Promise<InventoryReport | undefined> {
    await this.#flush();
    if (!this.#isCreated) return undefined;
    // Here whole tables are compared, once.
    await this.query(compareTables);
    await this.query('ANALYZE import_stock');
    await this.#checkSums();
    await this.query(matchStatement, [this.shopId]);
    await this.query('CREATE INDEX ON import_stock_match (batch)');
    await this.query('ANALYZE import_stock_match');
    const { rows } = await this.query<Match>(matchReport);
    const { variants, unknown, examples, batches, locations } = rows[0] as Match;
    await this.query(lookUpRows);
    let updated = 0;
    for (let batch = 0; batch < batches; batch += 1) {
      const result = await this.query<Written>(updateStatement, [this.shopId, batch, now]).catch(refuseStock);
      const written = result.rows[0] as Written;
      updated += written.updated;
      changes.add({ stock: written.stock, stock_variants: written.updated });
    }
    return {
      variants,
      updated,
      unchanged: variants - unknown - updated,
      locations: locations.map((text) => maskAddresses(text)),
      unknown,
      examples: (examples ?? []).map((text) => maskAddresses(text)),
    };
  }

  async #flush(): Promise<void> {
    if (this.#rows.length === 0) return;
    if (!this.#isCreated) {
      await this.query(`CREATE TEMPORARY TABLE import_stock (
           file text, line integer, handle text, variant_id text, options text[], location text, available bigint) ON COMMIT DROP`);
      this.#isCreated = true;
    }
    const rows = this.#rows.map(({ file, line, handle, variantId, options, location, available }) => ({
      ...{ file, line, handle, variant_id: variantId, location, available },
      options: options.map(({ value }) => value),
    }));
    this.#rows = [];
    await this.query(
      `INSERT INTO import_stock SELECT * FROM json_to_recordset($1::json) AS given (
         file text, line integer, handle text, variant_id text, options text[], location text, available bigint)`,
      [JSON.stringify(rows)],
    );
  }

  async #checkSums(): Promise<void> {
    const { rows } = await this.query<{
      file: string;
      line: number;
      problem: string;
    }>(`SELECT file, line, 'the same variant and location already appear on line ' || first ||
              CASE WHEN first_file <> file THEN ' of ' || first_file ELSE '' END AS problem
         FROM (SELECT file, line, first_value(line) OVER same_location AS first,
                      first_value(file) OVER same_location AS first_file, row_number() OVER same_location AS number
                 FROM import_stock WINDOW same_location AS (PARTITION BY handle, variant_id, location ORDER BY file, line)) AS row
        WHERE number > 1
        UNION ALL
       SELECT min(file), min(line), 'the sum over the locations of this variant is too large'
         FROM import_stock GROUP BY handle, variant_id HAVING abs(sum(available)) > ${Number.MAX_SAFE_INTEGER}
        LIMIT 1`);
    const [found] = rows;
    if (found) throw new ImportError(`${found.file}, line ${found.line}: ${found.problem}`);
  }
}

/** A product's total is known only when it is written, because its other variants count, too. */
function refuseStock(error: unknown): never {
  if (!(error instanceof DatabaseError) || constraintOf(error) !== 'products_total_stock_check') throw error;
  const { min, max } = safeBounds;
  throw new ImportError(`inventory: expected a total stock per product from ${min} to ${max}`, {
    cause: error,
  });
}

interface Match {
  readonly variants: number;
  readonly unknown: number;
  readonly examples: readonly string[] | null;
  readonly batches: number;
  readonly locations: readonly string[];
}

interface Written {
  readonly updated: number;
  readonly stock: string;
}

/**
 * Finds the product and the variant of each sum: by the ids that the products file of the same platform gives them,
 * else by handle and option values, where these are unique.
 */
const matchStatement = `
  CREATE TEMPORARY TABLE import_stock_match ON COMMIT DROP AS
  WITH stock AS (
    SELECT handle, variant_id, options, sum(available)::bigint AS available
      FROM import_stock GROUP BY handle, variant_id, options
  ), product AS (
    SELECT named.handle, (array_agg(products.id ORDER BY products.external_id = 'handle:' || named.handle DESC))[1] AS id,
           count(*) = 1 OR bool_or(products.external_id = 'handle:' || named.handle) AS is_clear
      FROM (SELECT DISTINCT handle FROM stock) AS named
      JOIN products ON products.shop_id = $1::uuid AND products.handle = named.handle AND products.deleted_at IS NULL
     GROUP BY named.handle
  ), variant AS (
    SELECT variants.id, variants.product_id, variants.external_id,
           coalesce((SELECT array_agg(each.item ->> 'value' ORDER BY each.at)
                       FROM jsonb_array_elements(variants.options) WITH ORDINALITY AS each (item, at)), '{}') AS options
      FROM variants WHERE variants.shop_id = $1::uuid AND variants.product_id IN (SELECT id FROM product WHERE is_clear)
  ), match AS (
    SELECT stock.handle, stock.variant_id, variant.product_id, stock.available,
           (array_agg(variant.id ORDER BY variant.external_id = stock.variant_id DESC)
             FILTER (WHERE variant.external_id = stock.variant_id OR variant.options = stock.options))[1] AS id,
           count(*) FILTER (WHERE variant.options = stock.options) < 2
             OR bool_or(variant.external_id = stock.variant_id) AS is_clear
      FROM stock LEFT JOIN product ON product.handle = stock.handle AND product.is_clear
      LEFT JOIN variant
        ON variant.product_id = product.id
       AND (variant.external_id = stock.variant_id OR variant.options = stock.options)
     GROUP BY stock.handle, stock.variant_id, variant.product_id, stock.available
  )
  SELECT variant_id, product_id, available, CASE WHEN is_clear THEN id END AS id,
         (dense_rank() OVER (ORDER BY product_id) - 1) / ${productsPerBatch} AS batch
    FROM match`;

const matchReport = `
  SELECT count(*)::integer AS variants, (count(*) FILTER (WHERE id IS NULL))::integer AS unknown,
         (coalesce(max(batch), -1) + 1)::integer AS batches,
         (SELECT array_agg(DISTINCT location ORDER BY location) FROM import_stock) AS locations,
         (array_agg(substr(variant_id, 8) ORDER BY variant_id) FILTER (WHERE id IS NULL))[1:${maxExamples}] AS examples
    FROM import_stock_match`;

/** $1 shop, $2 batch, $3 now. The derived stock is updated as well, so that the triggers find nothing to correct. */
const updateStatement = `
  WITH changed AS MATERIALIZED (
    SELECT match.product_id, variant.ctid, match.available,
           coalesce(match.available, 0) - coalesce(variant.inventory_quantity, 0) AS difference
      FROM import_stock_match AS match
     CROSS JOIN LATERAL (${findById('variants', 'found.ctid, found.inventory_quantity', 'match.id')}) AS variant
     WHERE match.batch = $2 AND variant.inventory_quantity IS DISTINCT FROM match.available
  ), updated AS (
    UPDATE variants AS stored SET inventory_quantity = changed.available, updated_at = $3::timestamptz
      FROM changed WHERE ${ofShop} AND stored.ctid = changed.ctid
    RETURNING 1
  ), product AS (
    UPDATE products AS stored SET total_stock = stored.total_stock + changed.difference, updated_at = $3::timestamptz
      FROM (SELECT product_id, sum(difference)::bigint AS difference FROM changed GROUP BY product_id) AS changed
     CROSS JOIN LATERAL (${findById('products', 'found.ctid', 'changed.product_id')}) AS product
     WHERE ${ofShop} AND stored.ctid = product.ctid
    RETURNING 1
  )
  SELECT (SELECT count(*)::integer FROM updated) AS updated, (SELECT count(*) FROM product) AS products,
         (SELECT coalesce(sum(difference), 0)::text FROM changed) AS stock`;
