import type { Sql } from '../../database/sql';
import { emptySql, fence, joinSql, rawSql, sql } from '../../database/sql';
import type { Position } from '../../relay/connection';
import type { ListOfShop, Page, PageSection } from './page-statement';
import {
  and,
  byId,
  rangesOf,
  scanLength,
  toCandidates,
  toIndexScan,
  toRangeSource,
  whereVisible,
} from './page-statement';
import type { Rank } from './shop-list';
import { toRangeScans } from './shop-list';
import type { SqlPosition } from './shop-tables';

/** A position in a ranked list: the rank, then the date of creation and the id. */
interface Place {
  readonly rank: number;
  readonly position: SqlPosition;
  /** Date of creation and id. */
  readonly at: Sql;
}

const toPlace = (position: Position | undefined): Place | undefined => {
  if (position === undefined) return undefined;
  const [rank, date] = String(position[0]).split(' ');
  const [at, id] = [sql`${date}::timestamptz`, sql`${position[1]}::uuid`];
  return { rank: Number(rank), position: { at, id }, at: sql`(${at}, ${id})` };
};

const byCreation = { column: 'created_at', type: 'timestamptz', member: 'createdAt' } as const;

/** The position of a product in the list, without its id, as in the cursor. */
const relevance = rawSql(
  `found.rank || ' ' || to_char(item.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
);

/**
 * A rank is searched by its terms only if at most this many of the newest products that a scan reads have a better
 * rank.
 */
const most = 100;

/** The index of the search that finds the products of each rank: terms of word prefixes find those of two ranks. */
const searched = [0, 2, 2, 3] as const;
const nameOf = (what: string, rank: number) => rawSql(`${what}_${rank}`);

/** Whether there are more than `number` rows. Further rows are not read. */
const hasMore = (rows: Sql, number: Sql): Sql => sql`EXISTS (SELECT FROM (${rows} OFFSET ${number} LIMIT 1) AS more)`;

/**
 * The statement that reads a section of a list by rank, newest first within each. Ranks follow one another until the
 * page is full. Each is read from a scan of the newest products if that finds enough of it; from all matching products
 * if they are fewer than a page; otherwise from its own terms, which are then rare. A rank to which none of this
 * applies is skipped: most products have a better one (docs/api-rules.md, D28).
 */
export function toRankedStatement({ shop, table, list, range, outputs }: Page, ranks: readonly Rank[]): Sql {
  const isBestFirst = list.reverse === range.backwards;
  const [worse, older, beyond] = isBestFirst ? [sql`ASC`, sql`DESC`, sql`<`] : [sql`DESC`, sql`ASC`, sql`>`];
  const pageSize = sql`${range.limit}::integer`;
  const [after, before] = [toPlace(range.after), toPlace(range.before)];
  const from = range.backwards ? before : after;
  const ofTable = { shop, table, list: { ...list, sort: byCreation } };
  const source = toRangeSource(ofTable);
  const visible = whereVisible(table, shop);
  const placed = sql`item.created_at AS at, item.id, ${toRank(ranks)} AS rank`;
  const sorted = (rows: Sql) => sql`
    SELECT at, id, rank FROM (${rows} ${fence}) AS placed ORDER BY rank ${worse}, at ${older}, id ${older} LIMIT ${pageSize}`;
  const section = [
    ...(after ? [isBehind(after, list.reverse)] : []),
    ...(before ? [isBehind(before, !list.reverse)] : []),
  ];
  const toPage = (rows: Sql) => sql`
    SELECT ${outputs}
      FROM (SELECT found.rank, found.at, ${relevance} AS relevance, item.*
              FROM (${sorted(sql`SELECT * FROM (${rows}) AS placed WHERE ${and(section)}`)}) AS found
              JOIN ${rawSql(table)} AS item ON item.shop_id = ${shop} AND item.id = found.id AND ${byId} ${fence}) AS item
     ORDER BY item.rank ${worse}, item.at ${older}, item.id ${older}`;
  if (list.path.listed) {
    const { rows, recheck } = toCandidates(ofTable);
    return toPage(sql`SELECT ${placed} FROM (${rows}) AS item WHERE ${and(recheck)}`);
  }

  const toScan = (name: string, direction: Sql, start?: Place) => {
    // From the newest down, the end of the visible set and the cursor are one bound (shop-tables.ts).
    const of: ListOfShop | PageSection =
      start && isBestFirst
        ? {
            ...ofTable,
            list: { ...ofTable.list, reverse: true },
            range,
            outputs,
            after: start.position,
            before: undefined,
          }
        : ofTable;
    const index = toIndexScan(of);
    const bound = start ? [sql`(${rawSql(`${index.column}, ${index.id}`)}) ${beyond} ${start.at}`] : [];
    const rows = (columns: Sql) => sql`
      SELECT ${columns} FROM ${index.from} WHERE ${and([...index.where, ...bound])}
       ORDER BY ${rawSql(index.column)} ${direction}, ${rawSql(index.id)} ${direction}`;
    const scanned = sql`(${rows(sql`item.*`)} LIMIT ${scanLength}::integer)`;
    return {
      name: rawSql(name),
      expression: sql`
        ${rawSql(name)} AS MATERIALIZED (SELECT ${placed} FROM ${scanned} AS item WHERE ${and(list.where)}),
        ${rawSql(name)}_cut AS MATERIALIZED (SELECT ${hasMore(rows(rawSql('')), sql`${scanLength}::integer`)} AS off)`,
      isCut: sql`(SELECT off FROM ${rawSql(name)}_cut)`,
    };
  };
  const newest = toScan('newest', sql`DESC`);
  const start = isBestFirst ? newest : toScan('oldest', sql`ASC`);
  const next = from ? toScan('next', older, from) : start;
  const ranges = toRangeScans(source, rangesOf(ofTable), {
    columns: placed,
    fit: and([...list.where, ...visible]),
    most: scanLength,
  });
  const searches = [...new Set(searched)].map((rank) => {
    const { where, terms } = ranks[rank] as Rank;
    const of = { ...ofTable.list, where: [...list.where, ...where], path: { ...list.path, terms } };
    const { rows, recheck } = toCandidates({ ...ofTable, list: of });
    return sql`${nameOf('search', rank)} AS MATERIALIZED (SELECT ${placed} FROM (${rows}) AS item WHERE ${and(recheck)})`;
  });
  const steps = ranks
    .map((_, rank) => rank)
    .filter((rank) => !from || (isBestFirst ? rank >= from.rank : rank <= from.rank));
  if (!isBestFirst) steps.reverse();
  const expressions = steps.flatMap((rank, step) => {
    const isFirst = rank === from?.rank;
    const scan = isFirst ? next : start;
    const ofRank = (source: Sql) => sql`SELECT at, id, rank FROM ${source} WHERE rank = ${rank}::integer`;
    const before = steps.slice(0, step).map((other) => sql`(SELECT count(*) FROM ${nameOf('rank', other)})`);
    const bound = isFirst && from ? sql`AND (at, id) ${beyond} ${from.at}` : emptySql;
    const how = nameOf('how', rank);
    const [own, every] = [nameOf('search', searched[rank] as number), nameOf('search', ranks.length - 1)];
    const read = (source: Sql) => sql`${ofRank(source)} AND (SELECT source FROM ${how}) = '${source}'`;
    return [
      sql`${how} AS MATERIALIZED (
        SELECT CASE WHEN (SELECT range FROM chosen) IS NOT NULL OR ${joinSql([sql`0`, ...before], ' + ')} >= ${pageSize} THEN 'none'
                    WHEN ${hasMore(ofRank(scan.name), sql`(${pageSize} - 1)`)} OR NOT ${scan.isCut} THEN '${scan.name}'
                    WHEN NOT ${hasMore(sql`SELECT FROM newest`, sql`(${pageSize} - 1)`)} THEN '${every}'
                    WHEN NOT ${hasMore(sql`SELECT FROM newest WHERE rank < ${rank}::integer`, sql`${most}::integer`)} THEN '${own}' END AS source)`,
      sql`${nameOf('rank', rank)} AS MATERIALIZED (${sorted(sql`
        SELECT * FROM (${read(scan.name)} LIMIT ${pageSize}) AS scanned ${joinSql(
          [...new Set([own.text, every.text])].map((source) => sql`UNION ALL ${read(rawSql(source))} ${bound}`),
          ' ',
        )}`)})`,
    ];
  });
  const withScans = [
    ...ranges.expressions,
    sql`chosen AS MATERIALIZED (SELECT ${ranges.names.length > 0 ? sql`CASE ${ranges.firstWithin(scanLength)} END` : sql`NULL`} AS range)`,
    ...[...new Set([newest, start, next])].map(({ expression }) => expression),
    ...searches,
    ...expressions,
  ];
  const found = [
    ...ranges.names.map(
      (name) => sql`SELECT at, id, rank FROM ${name} WHERE fits AND (SELECT range FROM chosen) = '${name}'`,
    ),
    ...steps.map((rank) => sql`SELECT at, id, rank FROM ${nameOf('rank', rank)}`),
  ];
  return sql`WITH ${joinSql(withScans)} ${toPage(joinSql(found, ' UNION ALL '))}`;
}

/** Whether a row's position is after another, in the order of the list or in reverse. */
const isBehind = ({ rank, at }: Place, isReverse: boolean): Sql =>
  isReverse
    ? sql`(rank < ${rank}::integer OR rank = ${rank}::integer AND (at, id) > ${at})`
    : sql`(rank > ${rank}::integer OR rank = ${rank}::integer AND (at, id) < ${at})`;

/**
 * The best rank of a row `item` that has the last one. Checks first whether it has a better one, because most do not.
 */
function toRank(ranks: readonly Rank[]): Sql {
  const [best, better, worse] = ranks.map(({ where }) => and(where)) as [Sql, Sql, Sql];
  return sql`CASE WHEN NOT (${worse}) THEN 3 WHEN ${best} THEN 0 WHEN ${better} THEN 1 ELSE 2 END`;
}
