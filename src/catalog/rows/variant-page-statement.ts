import type { Sql } from '../../database/sql';
import { fence, joinSql, rawSql, sql } from '../../database/sql';
import type { KeysetRange, Position } from '../../relay/connection';
import { and, ofShop } from './page-statement';

interface VariantRange {
  readonly shop: Sql;
  readonly product: Sql;
  readonly range: KeysetRange;
  /** The columns that are read of a variant `item`, under names. */
  readonly outputs: Sql;
}

/**
 * A range of the variants of one product, in the direction in which it is read. Variants without a position come last
 * (D9), and no index condition compares with null: so each of the two parts is read along the index by its own.
 */
export function toVariantRange({ shop, product, range, outputs }: VariantRange): Sql {
  const { after, before, limit, backwards } = range;
  const order = rawSql(backwards ? 'item.position DESC, item.id DESC' : 'item.position, item.id');
  const most = sql`LIMIT ${limit}::integer`;
  const read = (what: Sql, conditions: readonly Sql[]) => sql`
    SELECT ${what} FROM variants AS item
     WHERE ${and([ofShop('variants', shop), sql`item.product_id = ${product}`, ...conditions])} ORDER BY ${order} ${most}`;
  if (after === undefined && before === undefined) return read(outputs, []);

  const [behind, ahead] = [sql`>`, sql`<`];
  const hasPosition = sql`item.position IS NOT NULL`;
  const isLast = sql`item.position IS NULL`;
  const bounds = [...(after ? [[behind, after] as const] : []), ...(before ? [[ahead, before] as const] : [])];
  const positioned = bounds.flatMap(([sign, [value, id]]) =>
    value === null ? [] : [sql`(item.position, item.id) ${sign} (${value}::integer, ${id}::uuid)`],
  );
  const last = bounds.flatMap(([sign, [value, id]]) => (value === null ? [sql`item.id ${sign} ${id}::uuid`] : []));
  const isNull = (position: Position | undefined): boolean => position !== undefined && position[0] === null;
  const parts = [
    ...(isNull(after) ? [] : [read(sql`item.*`, [hasPosition, ...positioned])]),
    ...(before === undefined || isNull(before) ? [read(sql`item.*`, [isLast, ...last])] : []),
  ].map((part) => sql`(${part})`);
  if (parts.length === 0) return read(outputs, [sql`false`]);
  return sql`SELECT ${outputs} FROM (${joinSql(parts, ' UNION ALL ')}) AS item ORDER BY ${order} ${most}`;
}

/**
 * That range for each of the products. Of each, the first rows that have room in its share, always including the very
 * first, and where others have none the product's id instead.
 */
export function toVariantPages(of: {
  readonly shop: Sql;
  readonly productIds: readonly string[];
  readonly range: KeysetRange;
  /** One column, `output_0`: a JSON text. */
  readonly outputs: Sql;
  /** The bytes of a product's share. */
  readonly most: number;
}): Sql {
  const { shop, productIds, range, outputs, most } = of;
  // Product by product, because only then is their order that of an index on PostgreSQL 16 and before
  // (docs/decisions.md 35).
  return sql`
    SELECT CASE WHEN has_room THEN output_0 ELSE id::text END AS output_0
      FROM (SELECT sized.*, ordinal = 1 OR bytes <= ${most}::integer AS has_room,
                   ordinal = 2 OR bytes - octet_length(output_0) <= ${most}::integer AS is_next
              FROM (SELECT asked.id, variant.output_0, row_number() OVER own AS ordinal,
                           sum(octet_length(variant.output_0)) OVER (own ROWS UNBOUNDED PRECEDING) AS bytes
                      FROM unnest(${productIds}::uuid[]) WITH ORDINALITY AS asked (id, number)
                     CROSS JOIN LATERAL (${toVariantRange({ shop, product: sql`asked.id`, range, outputs })} ${fence}) AS variant
                    WINDOW own AS (PARTITION BY asked.number)) AS sized) AS shown
     WHERE has_room OR is_next`;
}
