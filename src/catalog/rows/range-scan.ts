import type { Sql } from '../../database/sql';
import { sql, rawSql, joinSql, emptySql } from '../../database/sql';
import type { IndexSection, RangePath } from './shop-list';
import { columnOf } from './shop-list';

/** Where the rows of ranges are read. */
interface RangeSource {
  readonly table: Sql;
  readonly shop: Sql;
  /** Rows `t` of the shop that exist. */
  readonly ofShop: Sql;
}

/** The rows `t` of a range and perhaps some more, no more than `most`; all of them without it. */
export function toRangeRows({ table, shop, ofShop }: RangeSource, path: RangePath, most?: Sql): Sql {
  const end = most === undefined ? sql`OFFSET 0` : sql`LIMIT ${most}`;
  const toRows = ({ forEach, where, order }: IndexSection) => {
    const columns = rawSql(order.map(columnOf).join(', '));
    const conditions = joinSql([ofShop, ...where], ' AND ');
    const rows = sql`(SELECT t.* FROM ${table} AS t WHERE ${conditions} ORDER BY ${columns} ${end}) AS t`;
    return forEach === undefined
      ? sql`SELECT t.* FROM ${rows}`
      : sql`SELECT t.* FROM ${forEach(shop)} CROSS JOIN LATERAL ${rows}`;
  };
  return sql`${joinSql(path.map(toRows), ' UNION ALL ')} ${end}`;
}

/** A range that may be read, and the condition under which it may. */
export interface RangeChoice {
  readonly path: RangePath;
  readonly condition?: Sql;
}

/** The rows of ranges, and for each range whether it is small enough, as expressions of a WITH. */
export interface RangeScans {
  /** `range_1 AS …, range_2 AS …`; each is read only as far as needed. */
  readonly expressions: readonly Sql[];
  readonly names: readonly Sql[];
  /**
   * The number of the first range within the limit, as branches of a CASE. Later ones are not read.
   * @param from The first range that counts, @param to the one after the last.
   */
  firstWithin(rows: number, from?: number, to?: number): Sql;
}

/**
 * Nothing is materialized: counting a range reads its index only, and the conditions, which may look other rows up, are checked on the rows
 * of the chosen range alone.
 * @param columns Of a row `t`. @param most Rows that are read of each range, and one more.
 */
export function toRangeScans(
  source: RangeSource,
  ranges: readonly RangeChoice[],
  { columns, fit, most }: { columns: Sql; fit: Sql; most: number },
): RangeScans {
  const names = ranges.map((_, index) => rawSql(`range_${index + 1}`));
  const expressions = ranges.map(
    ({ path }, index) => sql`${names[index] as Sql} AS NOT MATERIALIZED (
      SELECT ${columns}, (${fit}) AS fits FROM (${toRangeRows(source, path, sql`${most + 1}::integer`)}) AS t)`,
  );
  const isWithin = (name: Sql, rows: number, condition: Sql | undefined) => {
    const fewer = sql`(SELECT count(*) FROM (SELECT FROM ${name} LIMIT ${rows + 1}::integer) AS first) <= ${rows}::integer`;
    return condition === undefined ? fewer : sql`CASE WHEN ${condition} THEN ${fewer} END`;
  };
  return {
    expressions,
    names,
    firstWithin: (rows, from = 0, to = names.length) => {
      const branches = names.map(
        (name, index) => sql`WHEN ${isWithin(name, rows, ranges[index]?.condition)} THEN ${rawSql(String(index + 1))}`,
      );
      return from >= to ? emptySql : joinSql(branches.slice(from, to), ' ');
    },
  };
}
