import type { Database } from '../database/database';
import { Prisma } from '../database/generated/client';
import type { KeysetList, KeysetRange, Position } from '../relay/position';
import type { ShopTableName } from './shop-tables';
import { shopTables } from './shop-tables';

/** What every row has, whatever its table. */
export interface ShopRow {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** What a list is sorted by, ties broken by id. The column is never null, and leads an index behind shop_id. */
export interface SortKey {
  readonly column: string;
  readonly type: 'timestamptz' | 'numeric' | 'bigint' | 'text';
  /** The member of a row that says its value. */
  readonly member: string;
  /** What the column holds for a row whose member is null: the value that sorts last. */
  readonly nullAs?: 'infinity';
  /** The column is no member of the rows and must be read beside them. */
  readonly isExtra?: boolean;
}

/** A list of one table: which rows, in which order. */
export interface ShopList {
  readonly where: readonly Prisma.Sql[];
  readonly sort: SortKey;
  /** The same list from its end. */
  readonly reverse: boolean;
}

/**
 * The rows of one shop: the only way from the resolvers to the database. The shop is given once, when a request's
 * principal is known, and stands in every statement made here; a reader has no means to leave it out or to name another.
 *
 * Each statement answers with one JSON text: few large values pass through the driver far faster than many small ones,
 * and decimals and timestamps leave PostgreSQL in their final form (D21, D23).
 */
export class ShopRows {
  readonly #database: Database;
  readonly #shop: Prisma.Sql;

  constructor(database: Database, shopId: string) {
    this.#database = database;
    this.#shop = Prisma.sql`${shopId}::uuid`;
  }

  /** A list of rows that pages can be read from. */
  list<Row extends ShopRow>(table: ShopTableName, list: ShopList): KeysetList<Row> {
    return {
      read: (range) => this.#page<Row>(table, list, range),
      positionOf: (row) => [toSortText(row[list.sort.member]), row.id],
      count: () => this.#count(table, list),
    };
  }

  /** Rows whose column holds one of the ids, in no particular order unless `orderBy` says so. */
  async byIds<Row>(
    table: ShopTableName,
    column: 'id' | 'product_id',
    ids: readonly string[],
    orderBy = '',
  ): Promise<readonly Row[]> {
    const among = Prisma.sql`t.${Prisma.raw(column)} = ANY (${ids}::uuid[])`;
    return this.#select<Row>(table, [among], orderBy === '' ? Prisma.empty : Prisma.raw(`ORDER BY ${orderBy}`));
  }

  async #page<Row>(table: ShopTableName, list: ShopList, range: KeysetRange): Promise<readonly Row[]> {
    const { sort } = list;
    const column = Prisma.raw(`t.${sort.column}`);
    const [behind, ahead] = list.reverse ? [Prisma.sql`<`, Prisma.sql`>`] : [Prisma.sql`>`, Prisma.sql`<`];
    const direction = Prisma.raw(list.reverse === range.backwards ? 'ASC' : 'DESC');
    const rows = await this.#select<Row>(
      table,
      [
        ...list.where,
        ...(range.after ? [Prisma.sql`(${column}, t.id) ${behind} ${toSqlRow(sort, range.after)}`] : []),
        ...(range.before ? [Prisma.sql`(${column}, t.id) ${ahead} ${toSqlRow(sort, range.before)}`] : []),
      ],
      Prisma.sql`ORDER BY ${column} ${direction}, t.id ${direction} LIMIT ${range.limit}::integer`,
      sort.isExtra ? { [sort.member]: `t.${sort.column}` } : undefined,
    );
    return range.backwards ? rows.reverse() : rows;
  }

  async #count(table: ShopTableName, list: ShopList): Promise<number> {
    return (
      (await this.#database.readJson<number>(Prisma.sql`SELECT count(*)::text ${this.#from(table, list.where)}`)) ?? 0
    );
  }

  async #select<Row>(
    table: ShopTableName,
    where: readonly Prisma.Sql[],
    order: Prisma.Sql,
    extraColumn?: Readonly<Record<string, string>>,
  ): Promise<Row[]> {
    const columns = { ...shopTables[table].columns, ...extraColumn };
    const rows = await this.#database.readJson<unknown[][]>(
      Prisma.sql`SELECT coalesce(json_agg(page.row), '[]')::text FROM (
        SELECT json_build_array(${Prisma.raw(Object.values(columns).join(', '))}) AS row
        ${this.#from(table, where)} ${order}) AS page`,
    );
    return (rows ?? []).map((values) => toObject<Row>(Object.keys(columns), values));
  }

  /** The one place where a statement gets its shop. */
  #from(table: ShopTableName, where: readonly Prisma.Sql[]): Prisma.Sql {
    const conditions = [shopTables[table].exists(this.#shop), ...where];
    return Prisma.sql`FROM ${Prisma.raw(shopTables[table].name)} AS t
      WHERE t.shop_id = ${this.#shop} AND ${Prisma.join(conditions, ' AND ')}`;
  }
}

/** Rows come as arrays: their names would be half of what is sent, and building objects is what costs PostgreSQL most. */
function toObject<Row>(members: readonly string[], values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < members.length; index += 1) row[members[index] as string] = values[index];
  return row as Row;
}

/** The members that lists are sorted by are text or numbers. */
const toSortText = (value: unknown): string | null =>
  value === null ? null : typeof value === 'number' ? String(value) : (value as string);

function toSqlRow(sort: SortKey, [value, id]: Position): Prisma.Sql {
  return Prisma.sql`(${value ?? sort.nullAs ?? null}::${Prisma.raw(sort.type)}, ${id}::uuid)`;
}
