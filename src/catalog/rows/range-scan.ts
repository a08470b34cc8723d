import { Prisma } from '../../database/generated/client';
import type { IndexSection, RangePath } from './shop-list';
import { columnOf } from './shop-list';

/** Where the rows of ranges are read. */
interface RangeSource {
  readonly table: Prisma.Sql;
  readonly shop: Prisma.Sql;
  /** Rows `t` of the shop that exist. */
  readonly ofShop: Prisma.Sql;
}

/** The rows `t` of a range and perhaps some more, no more than `most`; all of them without it. */
export function toRangeRows({ table, shop, ofShop }: RangeSource, path: RangePath, most?: Prisma.Sql): Prisma.Sql {
  const end = most === undefined ? Prisma.sql`OFFSET 0` : Prisma.sql`LIMIT ${most}`;
  const toRows = ({ forEach, where, order }: IndexSection) => {
    const columns = Prisma.raw(order.map(columnOf).join(', '));
    const conditions = Prisma.join([ofShop, ...where], ' AND ');
    const rows = Prisma.sql`(SELECT t.* FROM ${table} AS t WHERE ${conditions} ORDER BY ${columns} ${end}) AS t`;
    return forEach === undefined
      ? Prisma.sql`SELECT t.* FROM ${rows}`
      : Prisma.sql`SELECT t.* FROM ${forEach(shop)} CROSS JOIN LATERAL ${rows}`;
  };
  return Prisma.sql`${Prisma.join(path.map(toRows), ' UNION ALL ')} ${end}`;
}

/** A range that may be read, and the condition under which it may. */
export interface RangeChoice {
  readonly path: RangePath;
  readonly condition?: Prisma.Sql;
}

/** The rows of ranges, and for each range whether it is small enough, as expressions of a WITH. */
export interface RangeScans {
  /** `range_1 AS …, range_2 AS …`; each is read only as far as needed. */
  readonly expressions: readonly Prisma.Sql[];
  readonly names: readonly Prisma.Sql[];
  /**
   * The number of the first range within the limit, as branches of a CASE. Later ones are not read.
   * @param from The first range that counts, @param to the one after the last.
   */
  firstWithin(rows: number, from?: number, to?: number): Prisma.Sql;
}

/**
 * Nothing is materialized: counting a range reads its index only, and the conditions, which may look other rows up, are checked on the rows
 * of the chosen range alone.
 * @param columns Of a row `t`. @param most Rows that are read of each range, and one more.
 */
export function toRangeScans(
  source: RangeSource,
  ranges: readonly RangeChoice[],
  { columns, fit, most }: { columns: Prisma.Sql; fit: Prisma.Sql; most: number },
): RangeScans {
  const names = ranges.map((_, index) => Prisma.raw(`range_${index + 1}`));
  const expressions = ranges.map(
    ({ path }, index) => Prisma.sql`${names[index] as Prisma.Sql} AS NOT MATERIALIZED (
      SELECT ${columns}, (${fit}) AS fits FROM (${toRangeRows(source, path, Prisma.sql`${most + 1}::integer`)}) AS t)`,
  );
  const isWithin = (name: Prisma.Sql, rows: number, condition: Prisma.Sql | undefined) => {
    const fewer = Prisma.sql`(SELECT count(*) FROM (SELECT FROM ${name} LIMIT ${rows + 1}::integer) AS first) <= ${rows}::integer`;
    return condition === undefined ? fewer : Prisma.sql`CASE WHEN ${condition} THEN ${fewer} END`;
  };
  return {
    expressions,
    names,
    firstWithin: (rows, from = 0, to = names.length) => {
      const branches = names.map(
        (name, index) =>
          Prisma.sql`WHEN ${isWithin(name, rows, ranges[index]?.condition)} THEN ${Prisma.raw(String(index + 1))}`,
      );
      return from >= to ? Prisma.empty : Prisma.join(branches.slice(from, to), ' ');
    },
  };
}
