import { maximumAnswerBytes } from '../answer-size';
import type { Sql } from '../../database/sql';
import { emptySql, fence, joinSql, noIndexOnlyScan, rawSql, sql } from '../../database/sql';
import type { KeysetRange, Position } from '../../relay/connection';
import type { RangeChoice, RangePath, ShopList, SortKey } from './shop-list';
import { columnOf, toRangeRows, toRangeScans } from './shop-list';
import type { SqlPosition, ShopTable, ShopTableName } from './shop-tables';
import { shopTables } from './shop-tables';

export interface ListOfShop {
  readonly shop: Sql;
  readonly table: ShopTableName;
  readonly list: ShopList;
}

export interface Page extends ListOfShop {
  readonly range: KeysetRange;
  /** The columns that are read of a row `item`. */
  readonly outputs: Sql;
}

/** A page with the positions at which it may start and end. */
export interface PageSection extends Page {
  readonly after: SqlPosition | undefined;
  readonly before: SqlPosition | undefined;
}

/** What an index scan reads: rows with the alias `item`, and the columns that give their position in the list. */
interface IndexScan {
  readonly from: Sql;
  readonly where: readonly Sql[];
  readonly column: string;
  readonly id: string;
}

/**
 * The number of rows that a scan inspects before it is abandoned, and that a range may contain to be read completely.
 * Reading this many takes about as long as finding and sorting the rows of a filter so rare that this many do not fill
 * a page, at a million products (docs/decisions.md 26).
 */
export const scanLength = 5_000;
/**
 * The number of rows that a range may contain to be read completely before anything else is tried: reading them costs
 * less than any scan, except in shops so small that both are quick.
 */
const fewRows = 200;
const length = sql`${scanLength}::integer`;
/**
 * A scan continues to this length where every range is long and enough of its rows fit that it will probably fill the
 * page: reading a long range checks and sorts all its rows.
 */
const longScanLength = 5 * scanLength;

/**
 * The statement that reads a section of a list, from the end at which the range starts. `node docs/statements.mjs page`
 * prints one.
 */
export function toPageStatement(given: Page): Sql {
  const { shop, table, list, range, outputs } = given;
  const { sort, path } = list;
  const page = { ...given, after: toSqlPosition(sort, range.after), before: toSqlPosition(sort, range.before) };
  const scan = toIndexScan(page);
  const direction = rawSql(list.reverse === range.backwards ? 'ASC' : 'DESC');
  const pageSize = sql`${range.limit}::integer`;
  const limit = sql`LIMIT ${pageSize}`;
  const indexScan = (columns: Sql, end: Sql) => sql`
    SELECT ${columns} FROM ${scan.from} WHERE ${and([...scan.where, ...toSection(page, scan)])}
     ORDER BY ${rawSql(scan.column)} ${direction}, ${rawSql(scan.id)} ${direction} ${end}`;

  // Only positions are sorted, because there may be thousands. The fence keeps the planner from scanning in their order
  // instead.
  const sorted = (positions: Sql) => sql`
    SELECT ${outputs}
      FROM (SELECT * FROM (${positions} ${fence}) AS positions ORDER BY at ${direction}, id ${direction} ${limit}) AS found
      JOIN ${rawSql(table)} AS item ON item.shop_id = ${shop} AND item.id = found.id AND ${byId}
     ORDER BY found.at ${direction}, found.id ${direction}`;
  if (path.listed) return sorted(toPositions(page));

  // A list in order of creation ends where the visible set does; in any other order each row must be checked.
  const filters = [...path.filters, ...(isOfCreation(sort) ? [] : whereVisible(table, shop))];
  if (filters.length === 0) return indexScan(outputs, limit);
  const filteredScan = (end: Sql) => sql`
    SELECT ${outputs} FROM (${indexScan(sql`item.*`, end)}) AS item WHERE ${and(filters)} ${limit}`;
  const ranges = rangesOf(page);
  if (!path.terms && ranges.length === 0) return filteredScan(fence);

  // All strategies are in one statement, so that a page comes from one snapshot. A range that contains few rows, or
  // that the filter lists, comes before the scan; each further one is used only when the one before it was cut off.
  const section = toSection(page, { column: columnOf(sort.column), id: 'item.id' });
  const listed = path.listedRanges?.length ?? 0;
  const scans = toRangeScans(toRangeSource(page), ranges, {
    columns: sql`${rawSql(columnOf(sort.column))} AS at, item.id`,
    fit: and([...list.where, ...whereVisible(table, shop), ...section]),
    most: scanLength,
  });
  const isChosen = (strategy: Sql) => sql`(SELECT strategy FROM chosen) = '${strategy}'`;
  // Terms find rows more cheaply than a long scan does, and so does a limit that hides rows.
  const mayScanLong = path.terms?.length === 0 && ranges.length > 0;
  const lastStrategy = path.terms ? sql`search` : sql`full_scan`;
  const positions = [
    ...scans.names.map((name) => sql`SELECT at, id FROM ${name} WHERE fits AND ${isChosen(name)}`),
    ...(path.terms ? [sql`SELECT at, id FROM (${toPositions(page)}) AS search WHERE ${isChosen(lastStrategy)}`] : []),
  ];
  const { whereVisible: hasLimit }: ShopTable = shopTables[table];
  const showsAll = hasLimit === undefined ? sql`true` : sql`NOT ${hidesRows(shop)}`;
  const isLongFull = sql`CASE WHEN (SELECT count(*) FROM short_scan) * 4 >= ${pageSize} AND ${showsAll}
                                     THEN (SELECT count(*) FROM long_scan) >= ${pageSize} END`;
  const longScan = (text: Sql): Sql => (mayScanLong ? text : emptySql);
  return sql`
    WITH short_scan AS MATERIALIZED (${filteredScan(sql`LIMIT ${length}`)})
    ${longScan(sql`, long_scan AS MATERIALIZED (${filteredScan(sql`LIMIT ${longScanLength}::integer`)})`)}
    ${joinSql(
      scans.expressions.map((range) => sql`, ${range}`),
      '',
    )}
    , chosen AS MATERIALIZED (
      SELECT CASE ${scans.firstWithin(fewRows)} ${scans.firstWithin(scanLength, 0, listed)}
                  WHEN (SELECT count(*) FROM short_scan) >= ${pageSize}
                    OR NOT EXISTS (${indexScan(emptySql, sql`OFFSET ${length} LIMIT 1`)}) THEN 'short_scan'
                  ${scans.firstWithin(scanLength, listed)}
                  ${longScan(sql`WHEN ${isLongFull} THEN 'long_scan'`)}
                  ELSE '${lastStrategy}' END AS strategy
    )
    SELECT short_scan.* FROM short_scan WHERE ${isChosen(sql`short_scan`)}
    ${longScan(sql`UNION ALL SELECT long_scan.* FROM long_scan WHERE ${isChosen(sql`long_scan`)}`)}
     UNION ALL
    SELECT found.* FROM (${sorted(joinSql(positions, ' UNION ALL '))}) AS found WHERE NOT ${isChosen(sql`short_scan`)}
    ${path.terms ? emptySql : sql`UNION ALL SELECT full_scan.* FROM (${filteredScan(fence)}) AS full_scan WHERE ${isChosen(lastStrategy)}`}`;
}

/** The conditions of the filter, and visibility where that is not a section of the list. */
export const rangesOf = ({ shop, table, list: { path } }: ListOfShop): readonly RangeChoice[] => [
  ...[...(path.listedRanges ?? []), ...path.ranges].map((each) => ({ path: each })),
  // A shop without a limit shows all of its rows.
  ...visibleRowsOf(table).map((each) => ({ path: each, condition: hidesRows(shop) })),
];

/** Whether the plan's limit hides products of the shop. */
const hidesRows = (shop: Sql): Sql =>
  sql`(SELECT s.visible_until_at < 'infinity' FROM shops AS s WHERE s.shop_id = ${shop})`;

const visibleRowsOf = (table: ShopTableName): readonly RangePath[] => {
  const { visibleRows }: ShopTable = shopTables[table];
  return visibleRows ? [visibleRows] : [];
};

export const toRangeSource = ({ shop, table }: ListOfShop) => ({
  table: rawSql(table),
  shop,
  ofShop: ofShop(table, shop),
});

/** Part of each lookup of a row `item` by its id. */
export const byId = noIndexOnlyScan('item');

/** The statement that counts the rows of a list. */
export function toCountStatement(of: ListOfShop): Sql {
  const { shop, table, list } = of;
  const { path, where, sort } = list;
  if (table === 'products' && where.length === 0) return toProductCount(shop);
  const count = (from: Sql, conditions: readonly Sql[]) => sql`SELECT count(*) FROM ${from} WHERE ${and(conditions)}`;
  if (path.filters.length === 0 && !path.listed && isOfCreation(sort)) {
    const scan = toIndexScan(of);
    return sql`SELECT (${count(scan.from, scan.where)})::text`;
  }
  const { rows, recheck } = toCandidates(of);
  const everywhere = count(sql`(${rows}) AS item`, recheck);
  const ranges = rangesOf(of);
  if (path.listed || ranges.length === 0) return sql`SELECT (${everywhere})::text`;
  const scans = toRangeScans(toRangeSource(of), ranges, {
    columns: sql`item.id`,
    fit: and([...where, ...whereVisible(table, shop)]),
    most: scanLength,
  });
  const counts = scans.names.map((name) => sql`WHEN '${name}' THEN (${count(name, [sql`fits`])})`);
  return sql`
    WITH ${joinSql([...scans.expressions])}
    SELECT (CASE CASE ${scans.firstWithin(scanLength)} END ${joinSql(counts, ' ')} ELSE (${everywhere}) END)::text`;
}

/** Counts all visible products: the shop's row has their number (docs/writers.md), however large. */
const toProductCount = (shop: Sql): Sql =>
  sql`SELECT least(s.product_limit, s.live_product_count)::text FROM shops AS s WHERE s.shop_id = ${shop}`;

/** Rows of the shop that are not deleted. */
export const ofShop = (table: ShopTableName, shop: Sql): Sql =>
  sql`item.shop_id = ${shop} AND ${shopTables[table].exists}`;

/**
 * The version of the shop's data in the snapshot of the enclosing statement, as text; empty when the shop is deleted.
 */
export const dataVersionOf = (shop: Sql): Sql =>
  sql`coalesce((SELECT s.data_version::text FROM shops AS s WHERE s.shop_id = ${shop}), '')`;

/** Whether readers may see the rows. */
export function whereVisible(
  table: ShopTableName,
  shop: Sql,
  position = 'item.created_at, item.id',
  end?: SqlPosition,
): Sql[] {
  const { whereVisible: toCondition } = shopTables[table] as ShopTable;
  return toCondition ? [toCondition(shop, position, end)] : [];
}

/** The rows of the shop that readers may see. */
export const isSeen = (table: ShopTableName, shop: Sql): Sql =>
  and([ofShop(table, shop), ...whereVisible(table, shop)]);

export const and = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`true` : joinSql(conditions, ' AND ');

const isOfCreation = ({ column }: SortKey): boolean => column === 'created_at';

/**
 * Where a scan in order of creation may end, in addition to the visible set: at a cursor, otherwise at the latest date
 * that the filter allows.
 */
function toEnd(of: ListOfShop | PageSection): SqlPosition | undefined {
  const { reverse, path } = of.list;
  const cursor = 'range' in of ? (reverse ? of.after : of.before) : undefined;
  if (cursor !== undefined || path.createdBefore === undefined) return cursor;
  return { at: sql`${path.createdBefore}::timestamptz`, id: sql`'ffffffff-ffff-ffff-ffff-ffffffffffff'` };
}

/** Scans the index of the sort key, or the products of a tag. */
export function toIndexScan(of: ListOfShop | PageSection): IndexScan {
  const { shop, table } = of;
  const { sort, path } = of.list;
  if (path.tag !== undefined) {
    const position = { column: 'tagged.created_at', id: 'tagged.product_id' };
    return {
      from: sql`products AS item JOIN product_tags AS tagged ON tagged.shop_id = item.shop_id AND tagged.product_id = item.id AND ${byId}`,
      where: [
        sql`tagged.shop_id = ${shop} AND tagged.tag = ${path.tag}::text`,
        shopTables[table].exists,
        ...whereVisible(table, shop, 'tagged.created_at, tagged.product_id', toEnd(of)),
        ...path.indexConditions,
      ],
      ...position,
    };
  }
  return {
    from: sql`${rawSql(table)} AS item`,
    where: [
      ofShop(table, shop),
      ...(isOfCreation(sort) ? whereVisible(table, shop, undefined, toEnd(of)) : []),
      ...path.indexConditions,
    ],
    column: columnOf(sort.column),
    id: 'item.id',
  };
}

/**
 * Where the rows of a search are read. The most selective path comes first and alone: listed values, terms, a range (if
 * the limit hides no rows), the visible set, and finally the conditions. Each of the others has an index, too, and the
 * planner cannot know that it leads through many more rows.
 */
function toPositions(page: PageSection): Sql {
  const { list } = page;
  const section = toSection(page, { column: 'at', id: 'item.id' });
  const { rows, recheck } = toCandidates(page);
  return sql`
    SELECT item.at, item.id FROM (SELECT ${rawSql(columnOf(list.sort.column))} AS at, item.* FROM (${rows}) AS item) AS item
     WHERE ${and([...recheck, ...section])}`;
}

/** The rows `item` that a search checks one by one, and the remaining conditions on them. */
export function toCandidates(of: ListOfShop): { readonly rows: Sql; readonly recheck: readonly Sql[] } {
  const { shop, table, list } = of;
  const { where, path } = list;
  const visible = whereVisible(table, shop);
  const range = path.listed ?? path.listedRanges?.[0] ?? path.ranges[0];
  const among = (conditions: readonly Sql[]) => sql`
    SELECT item.* FROM ${rawSql(table)} AS item WHERE ${and([ofShop(table, shop), ...conditions])} ${fence}`;
  const source = toRangeSource(of);
  if (!path.listed && path.terms !== undefined && path.terms.length > 0)
    return { rows: toRangeRows(source, path.terms), recheck: [...where, ...visible] };
  const [visibleRows] = visibleRowsOf(table);
  if (range !== undefined && visibleRows !== undefined && !path.listed) {
    // A range may contain every row of a shop whose limit shows only a few of them.
    const hides = hidesRows(shop);
    return {
      rows: sql`
        SELECT item.* FROM (${toRangeRows(source, range)}) AS item WHERE NOT ${hides} UNION ALL
        SELECT item.* FROM (${toRangeRows(source, visibleRows)}) AS item WHERE ${hides}`,
      recheck: [...where, ...visible],
    };
  }
  if (range !== undefined) return { rows: toRangeRows(source, range), recheck: [...where, ...visible] };
  if (visibleRows !== undefined) return { rows: toRangeRows(source, visibleRows), recheck: [...where, ...visible] };
  return where.length > 0 ? { rows: among(where), recheck: visible } : { rows: among(visible), recheck: [] };
}

/** The bounds of a section, as conditions on the position columns. */
function toSection(
  { list: { reverse }, after, before }: PageSection,
  { column, id }: Pick<IndexScan, 'column' | 'id'>,
) {
  const [behind, ahead] = reverse ? [sql`<`, sql`>`] : [sql`>`, sql`<`];
  const isBeyond = (direction: Sql, position: SqlPosition) =>
    column === id
      ? sql`${rawSql(id)} ${direction} ${position.id}`
      : sql`${rawSql(`(${column}, ${id})`)} ${direction} (${position.at}, ${position.id})`;
  return [...(after ? [isBeyond(behind, after)] : []), ...(before ? [isBeyond(ahead, before)] : [])];
}

const toSqlPosition = (sort: SortKey, position: Position | undefined): SqlPosition | undefined =>
  position && {
    at: sql`${position[0] ?? sort.nullAs ?? null}::${rawSql(sort.type)}`,
    id: sql`${position[1]}::uuid`,
  };

/** The visible products of a collection, with its id; all of its products are live. */
const toMembers = (shop: Sql, collection: Sql): Sql[] => [
  sql`member.shop_id = ${shop}`,
  sql`member.collection = (SELECT c.external_id FROM collections AS c WHERE c.shop_id = ${shop} AND c.id = ${collection})`,
  ...whereVisible('products', shop, 'member.created_at, member.product_id'),
];

/** The number of the visible products of a collection. */
export const toMemberCount = (shop: Sql, collection: Sql): Sql =>
  sql`SELECT count(*)::text FROM collection_products AS member WHERE ${and(toMembers(shop, collection))}`;

/** A range of the visible products `item` of a collection in its order, in the direction in which it is read. */
export function toMemberRange(of: Omit<VariantRange, 'product'> & { readonly collection: Sql }): Sql {
  const { shop, collection, range, outputs } = of;
  const direction = rawSql(range.backwards ? 'DESC' : 'ASC');
  const bound = (sign: Sql, position: Position | undefined) =>
    position === undefined
      ? []
      : [sql`(member.position, member.product_id) ${sign} (${position[0]}::integer, ${position[1]}::uuid)`];
  return sql`
    SELECT ${outputs} FROM collection_products AS member
      JOIN products AS item ON item.shop_id = member.shop_id AND item.id = member.product_id AND ${byId}
     WHERE ${and([...toMembers(shop, collection), ...bound(sql`>`, range.after), ...bound(sql`<`, range.before)])}
     ORDER BY member.position ${direction}, member.product_id ${direction} LIMIT ${range.limit}::integer`;
}

interface VariantRange {
  readonly shop: Sql;
  readonly product: Sql;
  readonly range: KeysetRange;
  /** The columns that are read of a variant or product `item`, under names. */
  readonly outputs: Sql;
}

/**
 * A range of the variants of one product, in the direction in which it is read. Variants without a position come last
 * (D9), and no index condition compares with null: so each of the two parts is read along the index separately.
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
 * That range for each of the owners: the first rows that fit in its share, always including the very first, followed by
 * the owner's id if others do not fit.
 */
export function toPagesOf(of: {
  /** Products, or collections. */
  readonly owners: readonly string[];
  /** The rows of the owner `asked.id`, with one column, `output_0`: a JSON text. */
  readonly page: Sql;
  /** Maximum size of an owner's share, in bytes. */
  readonly most: number;
}): Sql {
  const { owners, page, most } = of;
  // One by one, because only then is their order that of an index on PostgreSQL 16 and before (docs/decisions.md 35).
  return sql`
    SELECT CASE WHEN has_room THEN output_0 ELSE id::text END AS output_0
      FROM (SELECT sized.*, ordinal = 1 OR bytes <= ${most}::integer AS has_room,
                   ordinal = 2 OR bytes - octet_length(output_0) <= ${most}::integer AS is_next
              FROM (SELECT asked.id, paged.*,
                           sum(octet_length(output_0)) OVER (PARTITION BY number ORDER BY ordinal ROWS UNBOUNDED PRECEDING) AS bytes
                      FROM unnest(${owners}::uuid[]) WITH ORDINALITY AS asked (id, number)
                     CROSS JOIN LATERAL (SELECT own.*, row_number() OVER () AS ordinal FROM (${page} ${fence}) AS own) AS paged) AS sized) AS shown
     WHERE has_room OR is_next`;
}

/** Whether a statement has returned an empty text in place of a row that is too large. No row is empty. */
export const isTooLarge = (texts: readonly string[]): boolean => texts.includes('');

/** Each row as one text: for the driver, the number of values costs more than their size. */
export interface RowsAsText {
  /** A statement that reads the given columns. */
  readonly rows: Sql;
  /** Its columns: JSON texts. */
  readonly columns: readonly string[];
}

/** Separates columns. JSON text never contains it, because it escapes control characters. */
export const columnSeparator = '\x1f';
export const toSqlLiteral = (separator: string): Sql => rawSql(`E'\\x${separator.charCodeAt(0).toString(16)}'`);

const toText = (columns: readonly string[]): Sql =>
  joinSql(
    columns.map((column) => rawSql(column)),
    ` || ${toSqlLiteral(columnSeparator).text} || `,
  );
const toBytes = (columns: readonly string[]): Sql =>
  rawSql(columns.map((column) => `octet_length(${column})`).join(' + '));

/**
 * The rows of a page, with an empty text for each that is larger than its equal share. `toShortenedText` then decides
 * how many of them fit. A page rarely needs it, and this check costs almost nothing.
 * @param most Maximum size of the page, in bytes.
 * @param count Maximum number of rows that the statement returns.
 */
export const toPageText = ({ rows, columns }: RowsAsText, most: number, count: number): Sql => sql`
    SELECT CASE WHEN ${toBytes(columns)} <= ${Math.floor(most / count)}::integer THEN ${toText(columns)} ELSE '' END
      FROM (${rows}) AS found`;

/**
 * The first rows that fit; an empty text for each of the others, and for each that is null.
 * @param most Maximum size of the page, in bytes.
 * @param mostOfFirst The same for its very first row, which alone may be as large as a response by default.
 */
export const toShortenedText = (
  { rows, columns }: RowsAsText,
  most = maximumAnswerBytes,
  mostOfFirst = maximumAnswerBytes,
): Sql => sql`
    SELECT coalesce(CASE WHEN bytes <= CASE ordinal WHEN 1 THEN ${mostOfFirst}::integer ELSE ${most}::integer END THEN ${toText(columns)} END, '')
      FROM (SELECT found.*, row_number() OVER () AS ordinal, sum(${toBytes(columns)}) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
              FROM (${rows}) AS found) AS sized`;
