import type { Sql } from '../../database/sql';
import { sql, rawSql, joinSql, emptySql } from '../../database/sql';
import type { KeysetRange, Position } from '../../relay/connection';
import type { RangeChoice, RangePath, ShopList, SortKey } from './shop-list';
import { columnOf, toRangeRows, toRangeScans } from './shop-list';
import type { SqlPosition, ShopTable, ShopTableName } from './shop-tables';
import { shopTables } from './shop-tables';

interface ListOfShop {
  readonly shop: Sql;
  readonly table: ShopTableName;
  readonly list: ShopList;
}

interface Page extends ListOfShop {
  readonly range: KeysetRange;
  /** The columns that are read of a row `item`. */
  readonly outputs: Sql;
}

/** Where a scan reads: rows with the alias `item`, and the columns that give their position in the list. */
interface Scan {
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
export function toPageStatement(page: Page): Sql {
  const { shop, table, list, range, outputs } = page;
  const { sort, path } = list;
  const scan = toScan(page);
  const direction = rawSql(list.reverse === range.backwards ? 'ASC' : 'DESC');
  const along = (what: Sql, end: Sql) => sql`
    SELECT ${what} FROM ${scan.from} WHERE ${and([...scan.where, ...toSection(page, scan)])}
     ORDER BY ${rawSql(scan.column)} ${direction}, ${rawSql(scan.id)} ${direction} ${end}`;
  const limit = sql`LIMIT ${range.limit}::integer`;

  // Only positions are sorted, because there may be thousands. OFFSET 0 keeps the planner from scanning in their order
  // instead.
  const inPositions = (positions: Sql) => sql`
    SELECT ${outputs}
      FROM (SELECT * FROM (${positions} OFFSET 0) AS positions ORDER BY at ${direction}, id ${direction} ${limit}) AS found
      JOIN ${rawSql(shopTables[table].name)} AS item ON item.shop_id = ${shop} AND item.id = found.id AND ${whereLookedUp}
     ORDER BY found.at ${direction}, found.id ${direction}`;
  const search = inPositions(toPositions(page));
  if (path.lookUp) return search;

  // A list in order of creation ends where the visible set does; in any other order each row must be checked.
  const rest = [...path.rest, ...(isOfCreation(sort) ? [] : whereVisible(table, shop))];
  if (rest.length === 0) return along(outputs, limit);
  const near = (end: Sql) => sql`
    SELECT ${outputs} FROM (${along(sql`item.*`, end)}) AS item WHERE ${and(rest)} ${limit}`;
  const ranges = rangesOf(page);
  if (!path.search && ranges.length === 0) return near(sql`OFFSET 0`);

  // All paths are in one statement, so that a page comes from one snapshot. A range that contains few rows, or that the
  // filter lists, comes before the scan; each further path is used only when the one before it was cut off.
  const section = toSection(page, { column: columnOf(sort.column), id: 'item.id' });
  const named = path.named?.length ?? 0;
  const scans = toRangeScans(toRangeSource(page), ranges, {
    columns: sql`${rawSql(columnOf(sort.column))} AS at, item.id`,
    fit: and([...list.where, ...whereVisible(table, shop), ...section]),
    most: scanLength,
  });
  const way = sql`(SELECT way FROM choice)`;
  const longWay = rawSql(String(scans.names.length + 1));
  const lastWay = rawSql(String(scans.names.length + 2));
  // Terms find rows more cheaply than a long scan does, and so does a limit that hides rows.
  const mayScanFurther = path.search?.length === 0 && ranges.length > 0;
  const positions = [
    ...scans.names.map(
      (name, index) => sql`SELECT at, id FROM ${name} WHERE fits AND ${way} = ${rawSql(String(index + 1))}`,
    ),
    ...(path.search ? [sql`SELECT at, id FROM (${toPositions(page)}) AS everywhere WHERE ${way} = ${lastWay}`] : []),
  ];
  const toTheEnd = sql`
     UNION ALL
    SELECT far.* FROM (${near(sql`OFFSET 0`)}) AS far WHERE ${way} = ${lastWay}`;
  const { whereVisible: hasLimit }: ShopTable = shopTables[table];
  const showsAll = hasLimit === undefined ? sql`true` : sql`NOT ${hidesRows(shop)}`;
  const isFull = sql`CASE WHEN (SELECT count(*) FROM near) * 4 >= ${range.limit}::integer AND ${showsAll}
                                 THEN (SELECT count(*) FROM further) >= ${range.limit}::integer END`;
  return sql`
    WITH ${joinSql([
      sql`near AS MATERIALIZED (${near(sql`LIMIT ${length}`)})`,
      ...(mayScanFurther ? [sql`further AS MATERIALIZED (${near(sql`LIMIT ${longScanLength}::integer`)})`] : []),
      ...scans.expressions,
    ])}
    , choice AS MATERIALIZED (
      SELECT CASE ${scans.firstWithin(fewRows)} ${scans.firstWithin(scanLength, 0, named)}
                  WHEN (SELECT count(*) FROM near) >= ${range.limit}::integer
                    OR NOT EXISTS (${along(emptySql, sql`OFFSET ${length} LIMIT 1::integer`)}) THEN 0
                  ${scans.firstWithin(scanLength, named)}
                  ${mayScanFurther ? sql`WHEN ${isFull} THEN ${longWay}` : emptySql}
                  ELSE ${lastWay} END AS way
    )
    SELECT near.* FROM near WHERE ${way} = 0
    ${mayScanFurther ? sql`UNION ALL SELECT further.* FROM further WHERE ${way} = ${longWay}` : emptySql}
     UNION ALL
    SELECT found.* FROM (${inPositions(joinSql(positions, ' UNION ALL '))}) AS found WHERE ${way} > 0
    ${path.search ? emptySql : toTheEnd}`;
}

/** The conditions of the filter, and visibility where that is not a section of the list. */
const rangesOf = ({ shop, table, list: { path } }: ListOfShop): readonly RangeChoice[] => [
  ...[...(path.named ?? []), ...path.ranges].map((each) => ({ path: each })),
  // A shop without a limit shows all of its rows.
  ...visibleRowsOf(table).map((each) => ({ path: each, condition: hidesRows(shop) })),
];

/** Whether a limit hides products of the shop. */
const hidesRows = (shop: Sql): Sql =>
  sql`(SELECT s.visible_until_at < 'infinity' FROM shops AS s WHERE s.shop_id = ${shop})`;

const visibleRowsOf = (table: ShopTableName): readonly RangePath[] => {
  const { visibleRows }: ShopTable = shopTables[table];
  return visibleRows ? [visibleRows] : [];
};

const toRangeSource = ({ shop, table }: ListOfShop) => ({
  table: rawSql(shopTables[table].name),
  shop,
  ofShop: ofShop(table, shop),
});

/**
 * Part of each lookup by id: always true, and on a column that no index has. Without it, an answer of only ids and
 * dates can be read from any index that contains both, which starts with the shop and is then read from there to its
 * end: for a shop of usual size the planner estimates that as cheap. The planner estimates this condition as rarely
 * true, which suits a lookup of one row.
 */
export const whereLookedUp = sql`item.tableoid <> 0`;

/** The statement that counts the rows of a list. */
export function toCountStatement(of: ListOfShop): Sql {
  const { shop, table, list } = of;
  const { path, where, sort } = list;
  if (table === 'products' && where.length === 0) return toProductCount(shop);
  const count = (from: Sql, conditions: readonly Sql[]) =>
    sql`SELECT count(*) FROM ${from} WHERE ${and([sql`true`, ...conditions])}`;
  if (path.rest.length === 0 && !path.lookUp && isOfCreation(sort)) {
    const scan = toScan(of);
    return sql`SELECT (${count(scan.from, scan.where)})::text`;
  }
  const { rows, bounds } = toLeading(of);
  const everywhere = count(sql`(${rows}) AS item`, bounds);
  const ranges = rangesOf(of);
  if (path.lookUp || ranges.length === 0) return sql`SELECT (${everywhere})::text`;
  const scans = toRangeScans(toRangeSource(of), ranges, {
    columns: sql`item.id`,
    fit: and([...where, ...whereVisible(table, shop)]),
    most: scanLength,
  });
  const counts = scans.names.map(
    (name, index) => sql`WHEN ${rawSql(String(index + 1))} THEN (${count(name, [sql`fits`])})`,
  );
  return sql`
    WITH ${joinSql([...scans.expressions])}
    SELECT (CASE CASE ${scans.firstWithin(scanLength)} ELSE 0 END ${joinSql(counts, ' ')} ELSE (${everywhere}) END)::text`;
}

/** Every product that the shop shows: its record has their number (docs/writers.md), whatever it is. */
const toProductCount = (shop: Sql): Sql =>
  sql`SELECT least(s.product_limit, s.live_product_count)::text FROM shops AS s WHERE s.shop_id = ${shop}`;

/** Rows of the shop that exist. */
export const ofShop = (table: ShopTableName, shop: Sql): Sql =>
  sql`item.shop_id = ${shop} AND ${shopTables[table].exists}`;

/**
 * The version of the shop's data in the snapshot of the enclosing statement, as text; empty when the shop is deleted.
 */
export const dataVersionOf = (shop: Sql): Sql =>
  sql`coalesce((SELECT s.data_version::text FROM shops AS s WHERE s.shop_id = ${shop}), '')`;

/** Whether a reader may see them. */
export function whereVisible(
  table: ShopTableName,
  shop: Sql,
  position = 'item.created_at, item.id',
  end?: SqlPosition,
): Sql[] {
  const { whereVisible: toCondition } = shopTables[table] as ShopTable;
  return toCondition ? [toCondition(shop, position, end)] : [];
}

export const and = (conditions: readonly Sql[]): Sql => joinSql([...conditions], ' AND ');

const isOfCreation = ({ column }: SortKey): boolean => column === 'created_at';

/**
 * Where a scan in order of creation may end, in addition to the visible set: at a cursor, otherwise at the latest date
 * that the filter allows.
 */
function toEnd({ list: { reverse, path }, ...page }: ListOfShop | Page): SqlPosition | undefined {
  const cursor = 'range' in page ? (reverse ? page.range.after : page.range.before) : undefined;
  const [at, id] = cursor ?? [path.createdBefore, 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
  return typeof at === 'string' ? { at: sql`${at}::timestamptz`, id: sql`${id}::uuid` } : undefined;
}

/** In the index of the sort key, or among the products of a tag. */
function toScan(of: ListOfShop | Page): Scan {
  const { shop, table } = of;
  const { sort, path } = of.list;
  if (path.tag !== undefined) {
    const position = { column: 'tagged.created_at', id: 'tagged.product_id' };
    return {
      from: sql`products AS item JOIN product_tags AS tagged ON tagged.shop_id = item.shop_id AND tagged.product_id = item.id AND ${whereLookedUp}`,
      where: [
        sql`tagged.shop_id = ${shop} AND tagged.tag = ${path.tag}::text`,
        shopTables[table].exists,
        ...whereVisible(table, shop, 'tagged.created_at, tagged.product_id', toEnd(of)),
        ...path.along,
      ],
      ...position,
    };
  }
  return {
    from: sql`${rawSql(shopTables[table].name)} AS item`,
    where: [
      ofShop(table, shop),
      ...(isOfCreation(sort) ? whereVisible(table, shop, undefined, toEnd(of)) : []),
      ...path.along,
    ],
    column: columnOf(sort.column),
    id: 'item.id',
  };
}

/**
 * Where the rows of a search are read. The selective path comes first and alone: listed values, otherwise terms,
 * otherwise a range, otherwise the conditions, and the visible set when there is none. Each of the others has an index,
 * too, and the planner cannot know that it leads through many more rows.
 */
function toPositions(page: Page): Sql {
  const { list } = page;
  const section = toSection(page, { column: 'at', id: 'item.id' });
  const { rows, bounds } = toLeading(page);
  return sql`
    SELECT item.at, item.id FROM (SELECT ${rawSql(columnOf(list.sort.column))} AS at, item.* FROM (${rows}) AS item) AS item
     WHERE ${and([sql`true`, ...bounds, ...section])}`;
}

/** The rows `item` that are checked one by one without a scan, and the remaining conditions on them. */
function toLeading(of: ListOfShop): { readonly rows: Sql; readonly bounds: readonly Sql[] } {
  const { shop, table, list } = of;
  const { where, path } = list;
  const visible = whereVisible(table, shop);
  const range = path.lookUp ?? path.named?.[0] ?? path.ranges[0];
  const among = (conditions: readonly Sql[]) => sql`
    SELECT item.* FROM ${rawSql(shopTables[table].name)} AS item WHERE ${and([ofShop(table, shop), ...conditions])} OFFSET 0`;
  const source = toRangeSource(of);
  if (!path.lookUp && path.search !== undefined && path.search.length > 0)
    return { rows: toRangeRows(source, path.search), bounds: [...where, ...visible] };
  const [visibleRows] = visibleRowsOf(table);
  if (range !== undefined && visibleRows !== undefined && !path.lookUp) {
    // A range may contain every row of a shop whose limit shows only a few of them.
    const hides = hidesRows(shop);
    return {
      rows: sql`
        SELECT item.* FROM (${toRangeRows(source, range)}) AS item WHERE NOT ${hides} UNION ALL
        SELECT item.* FROM (${toRangeRows(source, visibleRows)}) AS item WHERE ${hides}`,
      bounds: [...where, ...visible],
    };
  }
  if (range !== undefined) return { rows: toRangeRows(source, range), bounds: [...where, ...visible] };
  if (visibleRows !== undefined) return { rows: toRangeRows(source, visibleRows), bounds: [...where, ...visible] };
  return where.length > 0 ? { rows: among(where), bounds: visible } : { rows: among(visible), bounds: [] };
}

/** The bounds of a section, as conditions on the position columns. */
function toSection(
  { list: { sort, reverse }, range: { after, before } }: Page,
  { column, id }: Pick<Scan, 'column' | 'id'>,
) {
  const [behind, ahead] = reverse ? [sql`<`, sql`>`] : [sql`>`, sql`<`];
  const isBeyond = (direction: Sql, position: Position) =>
    column === id
      ? sql`${rawSql(id)} ${direction} ${position[1]}::uuid`
      : sql`${rawSql(`(${column}, ${id})`)} ${direction} ${toSqlRow(sort, position)}`;
  return [...(after ? [isBeyond(behind, after)] : []), ...(before ? [isBeyond(ahead, before)] : [])];
}

function toSqlRow(sort: SortKey, [value, id]: Position): Sql {
  return sql`(${value ?? sort.nullAs ?? null}::${rawSql(sort.type)}, ${id}::uuid)`;
}
