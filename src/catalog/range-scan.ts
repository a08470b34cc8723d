import { Prisma } from '../database/generated/client';
import type { IndexStretch, RangePath } from './shop-list';

/** Where the rows of ranges are read. */
interface RangeSource {
  readonly table: Prisma.Sql;
  /** Rows `t` of the shop that are there at all. */
  readonly ofShop: Prisma.Sql;
}

/** The rows `t` of a range and perhaps some more, no more than `most`; all of them without it. */
export function toRangeRows({ table, ofShop }: RangeSource, path: RangePath, most?: Prisma.Sql): Prisma.Sql {
  const end = most === undefined ? Prisma.sql`OFFSET 0` : Prisma.sql`LIMIT ${most}`;
  const toRows = ({ forEach, where, order }: IndexStretch) => {
    const columns = Prisma.raw(order.map((column) => `t.${column}`).join(', '));
    const conditions = Prisma.join([ofShop, ...where], ' AND ');
    const rows = Prisma.sql`(SELECT t.* FROM ${table} AS t WHERE ${conditions} ORDER BY ${columns} ${end}) AS t`;
    return forEach === undefined
      ? Prisma.sql`SELECT t.* FROM ${rows}`
      : Prisma.sql`SELECT t.* FROM ${forEach} CROSS JOIN LATERAL ${rows}`;
  };
  return Prisma.sql`${Prisma.join(path.map(toRows), ' UNION ALL ')} ${end}`;
}

/** Ranges as expressions of a WITH: those of their rows that `fit`, if the range holds few enough to be read as a whole. */
export interface FewRows {
  /** `range_1 AS …, range_2 AS …` */
  readonly expressions: readonly Prisma.Sql[];
  /** The number of the first range with few rows, as branches of a CASE. Later ones are not looked at. */
  readonly branches: Prisma.Sql;
  readonly names: readonly Prisma.Sql[];
}

/** @param columns Of a row `t`. @param most What counts as few. */
export function toFewRows(
  source: RangeSource,
  ranges: readonly RangePath[],
  { columns, fit, most }: { columns: Prisma.Sql; fit: Prisma.Sql; most: Prisma.Sql },
): FewRows {
  const names = ranges.map((_, index) => Prisma.raw(`range_${index + 1}`));
  const expressions = ranges.map(
    (path, index) => Prisma.sql`${names[index] as Prisma.Sql} AS MATERIALIZED (
      SELECT ${columns}, (${fit}) AS fits FROM (${toRangeRows(source, path, Prisma.sql`${most} + 1`)}) AS t)`,
  );
  const branches = names.map(
    (name, index) => Prisma.sql`WHEN (SELECT count(*) FROM ${name}) <= ${most} THEN ${Prisma.raw(String(index + 1))}`,
  );
  return { expressions, branches: branches.length === 0 ? Prisma.empty : Prisma.join(branches, ' '), names };
}
