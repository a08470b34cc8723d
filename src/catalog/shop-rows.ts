import type { Database } from '../database/database';
import { Prisma } from '../database/generated/client';
import type { KeysetList, KeysetRange, Position } from '../relay/position';

/**
 * The tables that hold a shop's objects. `columns` is what a row becomes, member by member in the names of the GraphQL
 * schema; `exists` is the condition under which a row is there at all for a reader.
 */
interface ShopTable {
  readonly name: string;
  readonly columns: string;
  readonly exists: (shop: Prisma.Sql) => Prisma.Sql;
}

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

/** UTC with milliseconds, made by PostgreSQL so that no time zone of a process can come in between (D23). */
const timestamp = (column: string, member: string): string =>
  `to_char(t.${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "${member}"`;

const everyRow = (): Prisma.Sql => Prisma.sql`true`;

const tables = {
  products: {
    name: 'products',
    columns: `t.id, t.external_id AS "externalId", t.title, t.handle, t.status, t.vendor, t.product_type AS "productType",
      t.tags, t.description_html AS "descriptionHtml", t.seo_title AS "seoTitle", t.seo_description AS "seoDescription",
      t.image_url AS "imageUrl", t.variant_count AS "variantCount", t.min_price AS "minPrice", t.max_price AS "maxPrice",
      t.total_stock AS "totalStock", ${timestamp('published_at', 'publishedAt')},
      ${timestamp('created_at', 'createdAt')}, ${timestamp('updated_at', 'updatedAt')}`,
    // The visible set is a stretch of the list, from its start to a position that the database keeps (D8). Read in the
    // same statement as the rows, so that a page is always of one moment.
    exists: (shop) => Prisma.sql`t.deleted_at IS NULL AND (t.created_at, t.id) <= (
      (SELECT visible_until_at FROM shops WHERE shop_id = ${shop}),
      (SELECT visible_until_id FROM shops WHERE shop_id = ${shop}))`,
  },
  variants: {
    name: 'variants',
    columns: `t.id, t.product_id AS "productId", t.external_id AS "externalId", t.title, t.sku, t.barcode, t.price,
      t.compare_at_price AS "compareAtPrice", t.cost_price AS "costPrice",
      t.inventory_quantity AS "inventoryQuantity", t.weight, t.weight_unit AS "weightUnit", t.position,
      t.image_url AS "imageUrl", t.options, ${timestamp('created_at', 'createdAt')},
      ${timestamp('updated_at', 'updatedAt')}`,
    exists: everyRow,
  },
  collections: {
    name: 'collections',
    columns: `t.id, t.external_id AS "externalId", t.title, t.handle, t.description_html AS "descriptionHtml",
      t.published, t.collection_type AS "collectionType", t.products_count AS "productsCount",
      t.image_url AS "imageUrl", t.seo_title AS "seoTitle", t.seo_description AS "seoDescription",
      ${timestamp('created_at', 'createdAt')}, ${timestamp('updated_at', 'updatedAt')}`,
    exists: everyRow,
  },
  orders: {
    name: 'orders',
    columns: `t.id, t.external_id AS "externalId", t.order_number AS "orderNumber", t.customer_name AS "customerName",
      t.currency, t.total_price AS "totalPrice", t.subtotal_price AS "subtotalPrice", t.total_tax AS "totalTax",
      t.total_shipping AS "totalShipping", t.financial_status AS "financialStatus",
      t.fulfillment_status AS "fulfillmentStatus", t.items_count AS "itemsCount", t.tags,
      ${timestamp('created_at', 'createdAt')}, ${timestamp('updated_at', 'updatedAt')}`,
    exists: everyRow,
  },
} as const satisfies Record<string, ShopTable>;

export type ShopTableName = keyof typeof tables;

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
      sort.isExtra ? Prisma.raw(`, t.${sort.column} AS "${sort.member}"`) : Prisma.empty,
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
    extraColumns = Prisma.empty,
  ): Promise<Row[]> {
    const rows = await this.#database.readJson<Row[]>(
      Prisma.sql`SELECT coalesce(json_agg(r), '[]')::text FROM (
        SELECT ${Prisma.raw(tables[table].columns)}${extraColumns} ${this.#from(table, where)} ${order}) AS r`,
    );
    return rows ?? [];
  }

  /** The one place where a statement gets its shop. */
  #from(table: ShopTableName, where: readonly Prisma.Sql[]): Prisma.Sql {
    const conditions = [tables[table].exists(this.#shop), ...where];
    return Prisma.sql`FROM ${Prisma.raw(tables[table].name)} AS t
      WHERE t.shop_id = ${this.#shop} AND ${Prisma.join(conditions, ' AND ')}`;
  }
}

/** The members that lists are sorted by are text or numbers. */
const toSortText = (value: unknown): string | null =>
  value === null ? null : typeof value === 'number' ? String(value) : (value as string);

function toSqlRow(sort: SortKey, [value, id]: Position): Prisma.Sql {
  return Prisma.sql`(${value ?? sort.nullAs ?? null}::${Prisma.raw(sort.type)}, ${id}::uuid)`;
}
