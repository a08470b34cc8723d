import { Prisma } from '../../database/generated/client';
import type { KeysetRange, Position } from '../../relay/position';
import { toRangeScans, toRangeRows } from './range-scan';
import type { RangePath, ShopList, SortKey } from './shop-list';
import { columnOf } from './shop-list';
import type { Place, ShopTable, ShopTableName } from './shop-tables';
import { shopTables } from './shop-tables';

interface ListOfShop {
  readonly shop: Prisma.Sql;
  readonly table: ShopTableName;
  readonly list: ShopList;
}

interface Page extends ListOfShop {
  readonly range: KeysetRange;
  /** What is read of a row `t`. */
  readonly outputs: Prisma.Sql;
}

/** Where a walk goes: rows with the alias `t`, and the columns that say where in the list they stand. */
interface Walk {
  readonly from: Prisma.Sql;
  readonly where: readonly Prisma.Sql[];
  readonly column: string;
  readonly id: string;
}

/**
 * Rows that a walk looks at before it is given up, and rows that a range may hold to be read as a whole. That many take about as long as
 * finding and sorting the rows of a filter so rare that this many do not fill a page, at a million products (docs/decisions.md 26, 53).
 */
export const walkLength = 5_000;
/** Rows that a range may hold to be read as a whole before anything else is tried: reading them costs less than any walk. */
const fewRows = 20;
const length = Prisma.sql`${walkLength}::integer`;

/** The statement that reads a stretch of a list, from the end that the range counts from. */
export function toPageStatement(page: Page): Prisma.Sql {
  const { shop, table, list, range, outputs } = page;
  const { sort, path } = list;
  const walk = toWalk(page);
  const direction = Prisma.raw(list.reverse === range.backwards ? 'ASC' : 'DESC');
  const along = (what: Prisma.Sql, end: Prisma.Sql) => Prisma.sql`
    SELECT ${what} FROM ${walk.from} WHERE ${and([...walk.where, ...toStretch(page, walk)])}
     ORDER BY ${Prisma.raw(walk.column)} ${direction}, ${Prisma.raw(walk.id)} ${direction} ${end}`;
  const limit = Prisma.sql`LIMIT ${range.limit}::integer`;

  // Only places are sorted, because there may be thousands. OFFSET 0 keeps the planner from walking along their order instead.
  const inPlaces = (places: Prisma.Sql) => Prisma.sql`
    SELECT ${outputs}
      FROM (SELECT * FROM (${places} OFFSET 0) AS places ORDER BY at ${direction}, id ${direction} ${limit}) AS found
      JOIN ${Prisma.raw(shopTables[table].name)} AS t ON t.shop_id = ${shop} AND t.id = found.id AND ${isLookedUp}
     ORDER BY found.at ${direction}, found.id ${direction}`;
  const search = inPlaces(toPlaces(page));
  if (path.lookUp) return search;

  // A list in the order of creation ends where the visible set does; in any other each row has to be looked at.
  const rest = [...path.rest, ...(isOfCreation(sort) ? [] : isVisible(table, shop))];
  if (rest.length === 0) return along(outputs, limit);
  const near = (end: Prisma.Sql) => Prisma.sql`
    SELECT ${outputs} FROM (${along(Prisma.sql`t.*`, end)}) AS t WHERE ${and(rest)} ${limit}`;
  const ranges = rangesOf(page);
  if (!path.search && ranges.length === 0) return near(Prisma.sql`OFFSET 0`);

  // All ways in one statement, so that a page is of one moment. A range that holds hardly any row, or that the filter names,
  // comes before the walk; each of the other ways is only gone when the one before it was cut off.
  const stretch = toStretch(page, { column: columnOf(sort.column), id: 't.id' });
  const named = path.named?.length ?? 0;
  const scans = toRangeScans(toRangeSource(page), ranges, {
    columns: Prisma.sql`${Prisma.raw(columnOf(sort.column))} AS at, t.id`,
    fit: and([...list.where, ...isVisible(table, shop), ...stretch]),
    most: walkLength,
  });
  const way = Prisma.sql`(SELECT way FROM choice)`;
  const lastWay = Prisma.raw(String(scans.names.length + 1));
  const places = [
    ...scans.names.map(
      (name, index) => Prisma.sql`SELECT at, id FROM ${name} WHERE fits AND ${way} = ${Prisma.raw(String(index + 1))}`,
    ),
    ...(path.search
      ? [Prisma.sql`SELECT at, id FROM (${toPlaces(page)}) AS everywhere WHERE ${way} = ${lastWay}`]
      : []),
  ];
  const toTheEnd = Prisma.sql`
     UNION ALL
    SELECT far.* FROM (${near(Prisma.sql`OFFSET 0`)}) AS far WHERE ${way} = ${lastWay}`;
  return Prisma.sql`
    WITH ${Prisma.join([Prisma.sql`near AS MATERIALIZED (${near(Prisma.sql`LIMIT ${length}`)})`, ...scans.expressions])}
    , choice AS MATERIALIZED (
      SELECT CASE ${scans.firstWithin(walkLength, 0, named)} ${scans.firstWithin(fewRows, named)}
                  WHEN (SELECT count(*) FROM near) >= ${range.limit}::integer
                    OR NOT EXISTS (${along(Prisma.empty, Prisma.sql`OFFSET ${length} LIMIT 1::integer`)}) THEN 0
                  ${scans.firstWithin(walkLength, named)} ELSE ${lastWay} END AS way
    )
    SELECT near.* FROM near WHERE ${way} = 0
     UNION ALL
    SELECT found.* FROM (${inPlaces(Prisma.join(places, ' UNION ALL '))}) AS found WHERE ${way} > 0
    ${path.search ? Prisma.empty : toTheEnd}`;
}

/** Of the filter, and what is visible where that is no stretch of the list. */
const rangesOf = ({ table, list: { path } }: ListOfShop): readonly RangePath[] => [
  ...(path.named ?? []),
  ...path.ranges,
  ...visibleRowsOf(table),
];

const visibleRowsOf = (table: ShopTableName): readonly RangePath[] => {
  const { visibleRows }: ShopTable = shopTables[table];
  return visibleRows ? [visibleRows] : [];
};

const toRangeSource = ({ shop, table }: ListOfShop) => ({
  table: Prisma.raw(shopTables[table].name),
  shop,
  ofShop: ofShop(table, shop),
});

/**
 * Goes with each look-up by id: always true, and of a column that no index has. Without it an answer of ids and dates alone can be
 * had from any index that has both, which starts with the shop and is read from there to its end: for a shop of usual size that
 * looks cheap. The planner takes it for hardly ever true, which suits a look-up: one row.
 */
export const isLookedUp = Prisma.sql`t.tableoid <> 0`;

/** The statement that counts the rows of a list. */
export function toCountStatement(of: ListOfShop): Prisma.Sql {
  const { shop, table, list } = of;
  const { path, where, sort } = list;
  if (table === 'products' && where.length === 0) return toProductCount(shop);
  const count = (from: Prisma.Sql, conditions: readonly Prisma.Sql[]) =>
    Prisma.sql`SELECT count(*) FROM ${from} WHERE ${and([Prisma.sql`true`, ...conditions])}`;
  if (path.rest.length === 0 && !path.lookUp && isOfCreation(sort)) {
    const walk = toWalk(of);
    return Prisma.sql`SELECT (${count(walk.from, walk.where)})::text`;
  }
  const { rows, bounds } = toLeading(of);
  const everywhere = count(Prisma.sql`(${rows}) AS t`, bounds);
  const ranges = rangesOf(of);
  if (path.lookUp || ranges.length === 0) return Prisma.sql`SELECT (${everywhere})::text`;
  const scans = toRangeScans(toRangeSource(of), ranges, {
    columns: Prisma.sql`t.id`,
    fit: and([...where, ...isVisible(table, shop)]),
    most: walkLength,
  });
  const counts = scans.names.map(
    (name, index) => Prisma.sql`WHEN ${Prisma.raw(String(index + 1))} THEN (${count(name, [Prisma.sql`fits`])})`,
  );
  return Prisma.sql`
    WITH ${Prisma.join([...scans.expressions])}
    SELECT (CASE CASE ${scans.firstWithin(walkLength)} ELSE 0 END ${Prisma.join(counts, ' ')} ELSE (${everywhere}) END)::text`;
}

/** Every product that the shop shows: its record has their number (docs/writers.md), however many there are. */
const toProductCount = (shop: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`SELECT least(s.product_limit, s.live_product_count)::text FROM shops AS s WHERE s.shop_id = ${shop}`;

/** Rows of the shop that are there at all. */
export const ofShop = (table: ShopTableName, shop: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`t.shop_id = ${shop} AND ${shopTables[table].exists}`;

/** The version of the shop's data in the snapshot that the statement around it reads, as text; empty when the shop is gone. */
export const dataVersionOf = (shop: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`coalesce((SELECT s.data_version::text FROM shops AS s WHERE s.shop_id = ${shop}), '')`;

/** Whether a reader may see them. */
export function isVisible(
  table: ShopTableName,
  shop: Prisma.Sql,
  position = 't.created_at, t.id',
  end?: Place,
): Prisma.Sql[] {
  const { isVisible: toCondition } = shopTables[table] as ShopTable;
  return toCondition ? [toCondition(shop, position, end)] : [];
}

export const and = (conditions: readonly Prisma.Sql[]): Prisma.Sql => Prisma.join([...conditions], ' AND ');

const isOfCreation = ({ column }: SortKey): boolean => column === 'created_at';

/** Where a walk in the order of creation may end, beside the visible set: at a cursor, else at the latest date that the filter leaves. */
function toEnd({ list: { reverse, path }, ...page }: ListOfShop | Page): Place | undefined {
  const cursor = 'range' in page ? (reverse ? page.range.after : page.range.before) : undefined;
  const [at, id] = cursor ?? [path.createdBefore, 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
  return typeof at === 'string' ? { at: Prisma.sql`${at}::timestamptz`, id: Prisma.sql`${id}::uuid` } : undefined;
}

/** Along the index of the sort key, or along the products of a tag. */
function toWalk(of: ListOfShop | Page): Walk {
  const { shop, table } = of;
  const { sort, path } = of.list;
  if (path.tag !== undefined) {
    const position = { column: 'w.created_at', id: 'w.product_id' };
    return {
      from: Prisma.sql`products AS t JOIN product_tags AS w ON w.shop_id = t.shop_id AND w.product_id = t.id AND ${isLookedUp}`,
      where: [
        Prisma.sql`w.shop_id = ${shop} AND w.tag = ${path.tag}::text`,
        shopTables[table].exists,
        ...isVisible(table, shop, 'w.created_at, w.product_id', toEnd(of)),
        ...path.along,
      ],
      ...position,
    };
  }
  return {
    from: Prisma.sql`${Prisma.raw(shopTables[table].name)} AS t`,
    where: [
      ofShop(table, shop),
      ...(isOfCreation(sort) ? isVisible(table, shop, undefined, toEnd(of)) : []),
      ...path.along,
    ],
    column: columnOf(sort.column),
    id: 't.id',
  };
}

/**
 * Where the rows of a search stand. What leads to them comes first and alone: what names them, else terms, else a range, else the conditions, and the visible
 * set when there is none. Each of the others has an index, too, and the planner cannot know that it leads past many more rows.
 */
function toPlaces(page: Page): Prisma.Sql {
  const { list } = page;
  const stretch = toStretch(page, { column: 'at', id: 't.id' });
  const { rows, bounds } = toLeading(page);
  return Prisma.sql`
    SELECT t.at, t.id FROM (SELECT ${Prisma.raw(columnOf(list.sort.column))} AS at, t.* FROM (${rows}) AS t) AS t
     WHERE ${and([Prisma.sql`true`, ...bounds, ...stretch])}`;
}

/** The rows `t` that are looked at one by one when there is no walk, and what they still have to be held against. */
function toLeading(of: ListOfShop): { readonly rows: Prisma.Sql; readonly bounds: readonly Prisma.Sql[] } {
  const { shop, table, list } = of;
  const { where, path } = list;
  const visible = isVisible(table, shop);
  const range = path.lookUp ?? path.named?.[0] ?? path.ranges[0];
  const among = (conditions: readonly Prisma.Sql[]) => Prisma.sql`
    SELECT t.* FROM ${Prisma.raw(shopTables[table].name)} AS t WHERE ${and([ofShop(table, shop), ...conditions])} OFFSET 0`;
  if (!path.lookUp && path.search !== undefined && path.search.length > 0)
    return { rows: among(path.search), bounds: [...where, ...visible] };
  const source = toRangeSource(of);
  const [visibleRows] = visibleRowsOf(table);
  if (range !== undefined && visibleRows !== undefined && !path.lookUp) {
    // A range may hold every row of a shop whose limit shows only a few of them.
    const hides = Prisma.sql`(SELECT s.visible_until_at < 'infinity' FROM shops AS s WHERE s.shop_id = ${shop})`;
    return {
      rows: Prisma.sql`
        SELECT t.* FROM (${toRangeRows(source, range)}) AS t WHERE NOT ${hides} UNION ALL
        SELECT t.* FROM (${toRangeRows(source, visibleRows)}) AS t WHERE ${hides}`,
      bounds: [...where, ...visible],
    };
  }
  if (range !== undefined) return { rows: toRangeRows(source, range), bounds: [...where, ...visible] };
  if (visibleRows !== undefined) return { rows: toRangeRows(source, visibleRows), bounds: [...where, ...visible] };
  return where.length > 0 ? { rows: among(where), bounds: visible } : { rows: among(visible), bounds: [] };
}

/** The bounds of a stretch, as conditions on the columns that say where a row stands. */
function toStretch(
  { list: { sort, reverse }, range: { after, before } }: Page,
  { column, id }: Pick<Walk, 'column' | 'id'>,
) {
  const [behind, ahead] = reverse ? [Prisma.sql`<`, Prisma.sql`>`] : [Prisma.sql`>`, Prisma.sql`<`];
  const stands = (direction: Prisma.Sql, place: Position) =>
    column === id
      ? Prisma.sql`${Prisma.raw(id)} ${direction} ${place[1]}::uuid`
      : Prisma.sql`${Prisma.raw(`(${column}, ${id})`)} ${direction} ${toSqlRow(sort, place)}`;
  return [...(after ? [stands(behind, after)] : []), ...(before ? [stands(ahead, before)] : [])];
}

function toSqlRow(sort: SortKey, [value, id]: Position): Prisma.Sql {
  return Prisma.sql`(${value ?? sort.nullAs ?? null}::${Prisma.raw(sort.type)}, ${id}::uuid)`;
}
