import type { ExportFormat, ExportTable } from './export-tables';
import type { ShopTableName } from './shop-tables';
import type { Sql } from '../../database/sql';
import { fence, rawSql, sql } from '../../database/sql';
import { toUuidLiteral } from '../../database/snapshot-stream';
import { toHistory } from './feed-rows';
import { isSeen, ofShop } from './page-statement';
import { typenames } from '../model';
import { toWholeJson } from './shop-tables';

/** The database tables that an export of these tables reads, and that must not be truncated meanwhile. */
export const tablesReadFor = (tables: readonly ExportTable[]): string[] => [
  'shops',
  'change_epochs',
  ...tables.flatMap((table) => (table === 'products' ? ['products', 'variants'] : [table])),
];

/** Locks the shop's exports until the transaction ends: 'true', or 'false' while another transaction has the lock. */
export const tryToLockExports = (shopId: string): Sql =>
  sql`SELECT pg_try_advisory_xact_lock(hashtextextended(${`catalog export ${shopId}`}, 0))::text`;

/**
 * The statements of one shop's export. Like ShopRows, it receives the shop once and puts it into every statement; the
 * rows are the visible ones (D8), in the order of their lists (D9).
 */
export class ExportStatements {
  readonly #shop: Sql;

  constructor(shopId: string) {
    this.#shop = toUuidLiteral(shopId);
  }

  /** The shop's facts, version, history and number of visible products as one JSON array. */
  header(): Sql {
    return sql`
      SELECT json_build_array(s.data_version::text, ${toHistory(this.#shop, null)}::json, least(s.product_limit, s.live_product_count),
               json_build_object('id', s.shop_id, 'domain', s.domain, 'name', s.name, 'platform', s.platform, 'currency', s.currency,
                 'plan_status', s.plan_status, 'created_at', ${timestamp('created_at')}, 'last_sync_at', ${timestamp('last_sync_at')}))::text
        FROM shops AS s WHERE s.shop_id = ${this.#shop}`;
  }

  /** How many rows a table's part of the export has, for progress. */
  count(table: Exclude<ExportTable, 'products'>): Sql {
    return sql`SELECT count(*)::text FROM ${rawSql(table)} AS item WHERE ${ofShop(table, this.#shop)}`;
  }

  /**
   * Lines, each with the number of variants that it holds. A product with very many is divided into chunks that fit in
   * memory: the number of each but the last is followed by `continuationMark`.
   */
  rows(table: ExportTable, format: ExportFormat): Sql {
    const source = sql`${rawSql(table)} AS item`;
    const seen = isSeen(table, this.#shop);
    // In index order: a sort would make every line of the table before it returns the first.
    const inOrder = sql`WHERE ${seen} ORDER BY item.${rawSql(table === 'products' ? 'created_at' : 'sort_at')}, item.id`;
    if (table !== 'products') return sql`SELECT ${toLine(table)} AS line, 0 AS variants FROM ${source} ${inOrder}`;
    // Sorted before the lines are made: sorting the lines would not keep those of a product in order.
    const products = sql`(SELECT item.* FROM ${source} ${inOrder} ${fence}) AS item CROSS JOIN LATERAL (SELECT item.id) AS own`;
    const variants = sql`
      variants AS item WHERE ${ofShop('variants', this.#shop)} AND item.product_id = own.id ORDER BY item.position, item.id`;
    // A product's variants are read along their index, product by product (docs/decisions.md 35).
    if (format === 'jsonl') {
      return sql`
        SELECT lines.* FROM ${products}
         CROSS JOIN LATERAL (
               SELECT ${toLine('products')} AS line, 0 AS variants UNION ALL
               SELECT v.line, 1 FROM (SELECT ${toVariantLine} AS line FROM ${variants} ${fence}) AS v) AS lines`;
    }
    const isWhole = sql`v.number < ${rawSql(String(variantsPerChunk))}`;
    return sql`
      SELECT lines.* FROM ${products}
       CROSS JOIN LATERAL (
             SELECT string_agg(each.json, ',') AS json, count(*) AS number
               FROM (SELECT ${toWholeJson('variants')} AS json FROM ${variants} LIMIT ${rawSql(String(variantsPerChunk))}) AS each) AS v
       CROSS JOIN LATERAL (
             SELECT left(${toLine('products')}, -1) || ',"variants":[' || coalesce(v.json, '') || CASE WHEN ${isWhole} THEN ']}' ELSE '' END AS line,
                    v.number || CASE WHEN ${isWhole} THEN '' ELSE '${rawSql(continuationMark)}' END AS variants UNION ALL
             SELECT ',' || each.json, '1${rawSql(continuationMark)}'
               FROM (SELECT ${toWholeJson('variants')} AS json FROM ${variants} OFFSET ${rawSql(String(variantsPerChunk))}) AS each
              WHERE NOT (${isWhole}) UNION ALL
             SELECT ']}', '0' WHERE NOT (${isWhole})) AS lines`;
  }
}

/** The maximum number of variants per row of the COPY: more than nearly all products have. */
const variantsPerChunk = 100;

/** Follows the number of variants of a line whose remainder is in the next row. */
export const continuationMark = '+';

const timestamp = (column: string): Sql =>
  rawSql(`to_char(s.${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

/** What every line of a table starts with. */
export const lineStart = (table: ShopTableName): string => `{"type":"${typenames[table].toLowerCase()}",`;

/** A row with its type as the first member. */
const toLine = (table: ShopTableName): Sql =>
  sql`${rawSql(`'${lineStart(table)}'`)} || substr(${toWholeJson(table)}, 2)`;

const toVariantLine = sql`${rawSql(`'${lineStart('variants')}"product_id":"'`)} || item.product_id || '",' || substr(${toWholeJson('variants')}, 2)`;
