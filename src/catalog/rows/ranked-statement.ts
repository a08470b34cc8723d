import type { Sql } from '../../database/sql';
import { fence, joinSql, rawSql, sql } from '../../database/sql';
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
import { shopTables } from './shop-tables';

/** A place in a ranked list: the rank, and in it the date of creation and the id. */
interface Place {
  readonly rank: number;
  readonly position: SqlPosition;
  /** Both of it. */
  readonly at: Sql;
}

const toPlace = (position: Position | undefined): Place | undefined => {
  if (position === undefined) return undefined;
  const [rank, date] = String(position[0]).split(' ');
  const [at, id] = [sql`${date}::timestamptz`, sql`${position[1]}::uuid`];
  return { rank: Number(rank), position: { at, id }, at: sql`(${at}, ${id})` };
};

const byCreation = { column: 'created_at', type: 'timestamptz', member: 'createdAt' } as const;

/** The position of a product in the list without its id, as the cursor has it. */
const relevance = rawSql(
  `found.rank || ' ' || to_char(item.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
);

/**
 * How many of the newest products that a scan reads may meet a search, so that all that do are ranked, and how many may
 * have a better rank, so that a rank is searched.
 */
const most = 100;

/** Whether there are more rows than that. Rows behind are not read. */
const hasMore = (rows: Sql, number: Sql): Sql => sql`EXISTS (SELECT FROM (${rows} OFFSET ${number} LIMIT 1) AS more)`;

/**
 * The statement that reads a section of a list by rank, the newest first in each. Ranks follow one another until the
 * page is full. Each comes from a scan of the newest products that finds enough of it; where few products meet the
 * search, from all of these; otherwise from its own terms, which are rare then. A rank of which none can be said is
 * left out: most products have a better one (docs/api-rules.md, D28).
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
              JOIN ${rawSql(shopTables[table].name)} AS item ON item.shop_id = ${shop} AND item.id = found.id AND ${byId} ${fence}) AS item
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
  const every = toCandidates(ofTable);

  const steps = ranks
    .map((_, rank) => rank)
    .filter((rank) => !from || (isBestFirst ? rank >= from.rank : rank <= from.rank));
  if (!isBestFirst) steps.reverse();
  const nameOf = (rank: number) => rawSql(`rank_${rank}`);
  const expressions = steps.flatMap((rank, step) => {
    const isFirst = rank === from?.rank;
    const scan = isFirst ? next : start;
    const ofRank = sql`SELECT at, id, rank FROM ${scan.name} WHERE rank = ${rank}::integer`;
    const before = steps.slice(0, step).map((other) => sql`(SELECT count(*) FROM ${nameOf(other)})`);
    const { where, terms } = ranks[rank] as Rank;
    const better = rank > 0 ? [sql`NOT (${and((ranks[rank - 1] as Rank).where)})`] : [];
    const own = toCandidates({
      ...ofTable,
      list: { ...ofTable.list, where: [...list.where, ...where, ...better], path: { ...list.path, terms } },
    });
    const bound = isFirst && from ? [sql`(at, id) ${beyond} ${from.at}`] : [];
    const isRead = (how: string) => sql`(SELECT how FROM how_${rawSql(String(rank))}) = '${rawSql(how)}'`;
    return [
      sql`how_${rawSql(String(rank))} AS MATERIALIZED (
        SELECT CASE WHEN (SELECT range FROM chosen) IS NOT NULL OR ${joinSql([sql`0`, ...before], ' + ')} >= ${pageSize} THEN 'not'
                    WHEN ${hasMore(ofRank, sql`(${pageSize} - 1)`)} OR NOT ${scan.isCut} THEN 'scan'
                    WHEN NOT ${hasMore(sql`SELECT FROM newest`, sql`${most}::integer`)} THEN 'every'
                    WHEN NOT ${hasMore(sql`SELECT FROM newest WHERE rank < ${rank}::integer`, sql`${most}::integer`)} THEN 'search' END AS how)`,
      sql`${nameOf(rank)} AS MATERIALIZED (${sorted(sql`
        SELECT * FROM (${ofRank} AND ${isRead('scan')} LIMIT ${pageSize}) AS scanned UNION ALL
        SELECT at, id, rank FROM every WHERE ${and([sql`rank = ${rank}::integer`, ...bound, isRead('every')])} UNION ALL
        SELECT at, id, ${rank}::integer FROM (SELECT item.created_at AS at, item.* FROM (${own.rows}) AS item WHERE ${and(own.recheck)}) AS item
         WHERE ${and([...bound, isRead('search')])}`)})`,
    ];
  });
  const withScans = [
    ...ranges.expressions,
    sql`chosen AS MATERIALIZED (SELECT ${ranges.names.length > 0 ? sql`CASE ${ranges.firstWithin(scanLength)} END` : sql`NULL`} AS range)`,
    ...[...new Set([newest, start, next])].map(({ expression }) => expression),
    sql`every AS MATERIALIZED (SELECT ${placed} FROM (${every.rows}) AS item WHERE ${and(every.recheck)})`,
    ...expressions,
  ];
  const found = [
    ...ranges.names.map(
      (name) => sql`SELECT at, id, rank FROM ${name} WHERE fits AND (SELECT range FROM chosen) = '${name}'`,
    ),
    ...steps.map((rank) => sql`SELECT at, id, rank FROM ${nameOf(rank)}`),
  ];
  return sql`WITH ${joinSql(withScans)} ${toPage(joinSql(found, ' UNION ALL '))}`;
}

/** Whether a placed row comes behind a place, in the order of the list or in reverse. */
const isBehind = ({ rank, at }: Place, isReverse: boolean): Sql =>
  isReverse
    ? sql`(rank < ${rank}::integer OR rank = ${rank}::integer AND (at, id) > ${at})`
    : sql`(rank > ${rank}::integer OR rank = ${rank}::integer AND (at, id) < ${at})`;

/** The best rank of a row `item` that has the last one. */
function toRank(ranks: readonly Rank[]): Sql {
  const better = ranks.slice(0, -1).map(({ where }, rank) => sql`WHEN ${and(where)} THEN ${rawSql(String(rank))}`);
  return sql`CASE ${joinSql(better, ' ')} ELSE ${rawSql(String(ranks.length - 1))} END`;
}
