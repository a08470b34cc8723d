import { Prisma } from '../database/generated/client';
import type { KeysetRange, Position } from '../relay/position';
import type { ShopList, SortKey } from './shop-list';
import type { ShopTable, ShopTableName } from './shop-tables';
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
 * Rows that a walk looks at before it is given up. That takes about as long as finding and sorting the rows of a filter so rare
 * that this many do not fill a page, at a million products (docs/decisions.md 26).
 */
export const walkLength = 5_000;

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
  const search = Prisma.sql`
    SELECT ${outputs}
      FROM (SELECT * FROM (${toPlaces(page)} OFFSET 0) AS places ORDER BY at ${direction}, id ${direction} ${limit}) AS found
      JOIN ${Prisma.raw(shopTables[table].name)} AS t ON t.shop_id = ${shop} AND t.id = found.id AND ${isLookedUp}
     ORDER BY found.at ${direction}, found.id ${direction}`;
  if (path.isLookUp) return search;

  // A list in the order of creation ends where the visible set does; in any other each row has to be looked at.
  const rest = [...path.rest, ...(isOfCreation(sort) ? [] : isVisible(table, shop))];
  if (rest.length === 0) return along(outputs, limit);
  const near = (end: Prisma.Sql) => Prisma.sql`
    SELECT ${outputs} FROM (${along(Prisma.sql`t.*`, end)}) AS t WHERE ${and(rest)} ${limit}`;
  if (!path.search) return near(Prisma.sql`OFFSET 0`);

  // Both ways in one statement, so that a page is of one moment. The search only runs when the walk was cut off before its end.
  const length = Prisma.sql`${walkLength}::integer`;
  return Prisma.sql`
    WITH near AS MATERIALIZED (${near(Prisma.sql`LIMIT ${length}`)}
    ), verdict AS MATERIALIZED (
      SELECT (SELECT count(*) FROM near) < ${range.limit}::integer
             AND EXISTS (${along(Prisma.empty, Prisma.sql`OFFSET ${length} LIMIT 1::integer`)}) AS is_far
    )
    SELECT near.* FROM near WHERE NOT (SELECT is_far FROM verdict)
     UNION ALL
    SELECT far.* FROM (${search}) AS far WHERE (SELECT is_far FROM verdict)`;
}

/**
 * Goes with each look-up by id: always true, and of a column that no index has. Without it an answer of ids and dates alone can be
 * had from any index that has both, which starts with the shop and is read from there to its end: for a shop of usual size that
 * looks cheap. The planner takes it for hardly ever true, which suits a look-up: one row.
 */
export const isLookedUp = Prisma.sql`t.tableoid <> 0`;

/** The statement that counts the rows of a list. */
export function toCountStatement({ shop, table, list }: ListOfShop): Prisma.Sql {
  const { path, where, sort } = list;
  const isWalk = path.rest.length === 0 && !path.isLookUp && isOfCreation(sort);
  const { from, where: conditions } = isWalk
    ? toWalk({ shop, table, list })
    : {
        from: Prisma.sql`${Prisma.raw(shopTables[table].name)} AS t`,
        where: [ofShop(table, shop), ...isVisible(table, shop), ...(path.search ?? []), ...where],
      };
  return Prisma.sql`SELECT count(*)::text FROM ${from} WHERE ${and(conditions)}`;
}

/** Rows of the shop that are there at all. */
export const ofShop = (table: ShopTableName, shop: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`t.shop_id = ${shop} AND ${shopTables[table].exists}`;

/** The version of the shop's data in the snapshot that the statement around it reads, as text; empty when the shop is gone. */
export const dataVersionOf = (shop: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`coalesce((SELECT s.data_version::text FROM shops AS s WHERE s.shop_id = ${shop}), '')`;

/** Whether a reader may see them. */
export function isVisible(table: ShopTableName, shop: Prisma.Sql, position = 't.created_at, t.id'): Prisma.Sql[] {
  const { isVisible: toCondition } = shopTables[table] as ShopTable;
  return toCondition ? [toCondition(shop, position)] : [];
}

export const and = (conditions: readonly Prisma.Sql[]): Prisma.Sql => Prisma.join([...conditions], ' AND ');

const isOfCreation = ({ column }: SortKey): boolean => column === 'created_at';

/** Along the index of the sort key, or along the products of a tag. */
function toWalk({ shop, table, list: { sort, path } }: ListOfShop): Walk {
  if (path.tag !== undefined) {
    const position = { column: 'w.created_at', id: 'w.product_id' };
    return {
      from: Prisma.sql`products AS t JOIN product_tags AS w ON w.shop_id = t.shop_id AND w.product_id = t.id AND ${isLookedUp}`,
      where: [
        Prisma.sql`w.shop_id = ${shop} AND w.tag = ${path.tag}::text`,
        shopTables[table].exists,
        ...isVisible(table, shop, 'w.created_at, w.product_id'),
        ...path.along,
      ],
      ...position,
    };
  }
  return {
    from: Prisma.sql`${Prisma.raw(shopTables[table].name)} AS t`,
    where: [ofShop(table, shop), ...(isOfCreation(sort) ? isVisible(table, shop) : []), ...path.along],
    column: `t.${sort.column}`,
    id: 't.id',
  };
}

/**
 * Where the rows of a search stand. What leads to them comes first and alone, the visible set when there is no condition: each
 * bound of the list has an index, too, and the planner cannot know that it leads past many more rows.
 */
function toPlaces(page: Page): Prisma.Sql {
  const { shop, table, list } = page;
  const conditions = [...(list.path.search ?? []), ...list.where];
  const stretch = toStretch(page, { column: 'at', id: 't.id' });
  const visible = isVisible(table, shop);
  const [leading, bounds] = conditions.length > 0 ? [conditions, [...visible, ...stretch]] : [visible, stretch];
  return Prisma.sql`
    SELECT t.at, t.id FROM (
      SELECT t.${Prisma.raw(list.sort.column)} AS at, t.created_at, t.id FROM ${Prisma.raw(shopTables[table].name)} AS t
       WHERE ${and([ofShop(table, shop), ...leading])} OFFSET 0) AS t
     WHERE ${and([Prisma.sql`true`, ...bounds])}`;
}

/** The bounds of a stretch, as conditions on the columns that say where a row stands. */
function toStretch(
  { list: { sort, reverse }, range: { after, before } }: Page,
  { column, id }: Pick<Walk, 'column' | 'id'>,
) {
  const position = Prisma.raw(`(${column}, ${id})`);
  const [behind, ahead] = reverse ? [Prisma.sql`<`, Prisma.sql`>`] : [Prisma.sql`>`, Prisma.sql`<`];
  return [
    ...(after ? [Prisma.sql`${position} ${behind} ${toSqlRow(sort, after)}`] : []),
    ...(before ? [Prisma.sql`${position} ${ahead} ${toSqlRow(sort, before)}`] : []),
  ];
}

function toSqlRow(sort: SortKey, [value, id]: Position): Prisma.Sql {
  return Prisma.sql`(${value ?? sort.nullAs ?? null}::${Prisma.raw(sort.type)}, ${id}::uuid)`;
}
