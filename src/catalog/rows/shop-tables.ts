import type { CollectionModel, OrderModel, ProductModel, VariantModel } from '../../database/generated/models';
import type { Sql } from '../../database/sql';
import { fence, noIndexOnlyScan, rawSql, sql } from '../../database/sql';
import type { Column, ItemOf, ListShape, Model, ObjectTable } from '../model';
import { columnsOf, restColumnsOf, typenames } from '../model';
import { schemaMembers } from '../schema-members';
import { orderRedaction } from '../order/order-privacy';
import type { Redaction } from './redaction';
import type { RangePath } from './shop-list';
import type { Scope } from '../../auth/api-key';
import { changeKinds } from '../../database/sql-constants';

/** The fields of a row in a response, in order. */
export type Projection = readonly ProjectedColumn[];

export interface ProjectedColumn {
  /** Its name in the response. */
  readonly name: string;
  /** A column of the row, `__typename`, or a member that contains other rows. */
  readonly member: string;
  /** The selection below a member that contains other rows. */
  readonly below?: Projection;
  /** Maximum number of rows of a list; all of them by default. */
  readonly first?: number;
}

/** Whether a row contains others. */
export const isNested = (projection: Projection): boolean => projection.some(({ below }) => below !== undefined);

/** Whether every requested column was found. */
export const isComplete = (columns: readonly (ProjectedColumn | undefined)[]): columns is Projection =>
  columns.every((column) => column !== undefined);

/** A row as JSON text, in the form of the response: made of what PostgreSQL wrote, neither parsed nor resolved. */
export interface RawRow {
  readonly json: string;
  /** An object that contains its position, also as JSON: only the first and the last of a page are ever parsed. */
  readonly at: string;
}

/**
 * The tables of a shop's objects. `columns` maps a row to its members in the names of the GraphQL schema. `exists` and
 * `whereVisible` are the conditions under which a reader can see a row: the first is the predicate of every index
 * through which lists are read, the second limits a list in order of creation.
 */
export interface ShopTable {
  readonly columns: Readonly<Record<string, string>>;
  /** A column that contains the row as the REST API shows it (docs/decisions.md 1). */
  readonly restJson?: string;
  readonly redaction?: Redaction;
  readonly exists: Sql;
  /**
   * @param position Two columns with the position of the row in that order.
   * @param end A position beyond which the list needs no row either.
   */
  readonly whereVisible?: (shop: Sql, position: string, end?: SqlPosition) => Sql;
  /** The visible rows, where they are not a section of their own list. */
  readonly visibleRows?: RangePath;
}

/** A position in order of creation, in SQL. */
export interface SqlPosition {
  readonly at: Sql;
  readonly id: Sql;
}

/** UTC with milliseconds, formatted by PostgreSQL so that no process time zone is involved (D23). */
const timestamp = (column: string): string =>
  `to_char(item.${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The columns of the members, which are fields of the generated client too: an unknown column does not compile. */
function toColumns<Table extends ObjectTable>(
  table: Table,
): Readonly<Record<keyof Model[Table] & keyof Models[Table], string>> {
  const columns = columnsOf(table).map(({ member, name, kind }) => [
    member,
    kind === 'timestamp' ? timestamp(name) : `item.${name}`,
  ]);
  return Object.fromEntries(columns) as Record<keyof Model[Table] & keyof Models[Table], string>;
}

const everyRow = sql`true`;

/*
 * The visible set is a section of the list, from its start to a position that the database keeps (D8). It is read in
 * the same statement as the rows, so that a page always comes from one snapshot. There is one comparison for both ends:
 * with two, PostgreSQL starts a backward scan at the first, and skips everything that lies between them.
 */
function whereVisibleProduct(shop: Sql, position: string, end?: SqlPosition): Sql {
  const toNearer = (column: string, bound?: Sql) =>
    end === undefined || bound === undefined
      ? rawSql(column)
      : sql`CASE WHEN (visible_until_at, visible_until_id) < (${end.at}, ${end.id}) THEN ${rawSql(column)} ELSE ${bound} END`;
  return sql`(${rawSql(position)}) <= (
      SELECT ${toNearer('visible_until_at', end?.at)}, ${toNearer('visible_until_id', end?.id)} FROM shops WHERE shop_id = ${shop})`;
}

/** Live products within the limit, under another alias than that of the rows of a list. */
const visibleProducts = (shop: Sql): Sql =>
  sql`products AS p WHERE p.shop_id = ${shop} AND p.deleted_at IS NULL AND ${whereVisibleProduct(shop, 'p.created_at, p.id')}`;

export const shopTables = {
  products: {
    columns: toColumns('products'),
    restJson: 'item.rest_json',
    exists: sql`item.deleted_at IS NULL`,
    whereVisible: whereVisibleProduct,
  },
  variants: {
    columns: { ...toColumns('variants'), productId: 'item.product_id' },
    restJson: 'item.rest_json',
    exists: everyRow,
    // A variant is visible when its product is. Not EXISTS, which the planner may reverse and begin with all products;
    // and with a condition on a column that no index has, so that the product is looked up by its key.
    whereVisible: (shop) => sql`
      (SELECT true FROM ${visibleProducts(shop)} AND p.id = item.product_id AND ${noIndexOnlyScan('p')} ${fence})`,
    visibleRows: [
      {
        forEach: (shop) => sql`
          (SELECT p.id FROM ${visibleProducts(shop)} ORDER BY p.created_at, p.id ${fence}) AS visible`,
        where: [sql`item.product_id = visible.id`],
        order: ['position', 'id'],
      },
    ],
  },
  collections: {
    columns: toColumns('collections'),
    restJson: 'item.rest_json',
    exists: everyRow,
  },
  orders: {
    columns: toColumns('orders'),
    redaction: orderRedaction,
    exists: everyRow,
  },
} as const satisfies Record<string, ShopTable>;

export type ShopTableName = keyof typeof shopTables;

/** The member of a product, and of its `variantConnection`, that lists its variants. */
export const variantsMember = 'variants';
/** The type of that connection. */
export const nestedTypename = 'VariantConnection';

interface Models {
  readonly products: ProductModel;
  readonly variants: VariantModel;
  readonly collections: CollectionModel;
  readonly orders: OrderModel;
}

/** A row as returned by the database, under the names of the schema. */
export type RowOf<Table extends ShopTableName> = {
  readonly [Member in keyof (typeof shopTables)[Table]['columns']]: Member extends keyof Models[Table]
    ? Member extends keyof Model[Table]
      ? InJson<Models[Table][Member], Model[Table][Member]>
      : InJson<Models[Table][Member], unknown>
    : never;
};

/** Timestamps are text (D23), integers are exact up to 2^53 (D21). */
type InJson<Value, Rule> = Rule extends { readonly of: infer Of extends ListShape }
  ? readonly ItemOf<Of>[]
  : Value extends Date
    ? string
    : Value extends bigint
      ? number
      : Value;

/* Rows as JSON text, in SQL. */

type Columns = ShopTable['columns'];

/**
 * A row as an array: the names of its members would be half of the data sent, and PostgreSQL spends most of its time on
 * building objects.
 */
export const toJsonArray = (columns: Columns): string => `json_build_array(${Object.values(columns).join(', ')})`;

/**
 * A row as the object in the response. The names are GraphQL names: letters, digits and underscores. Members are
 * concatenated one by one: building one object would take PostgreSQL as long.
 */
export function toJsonObject(
  table: ShopTableName,
  projection: Projection,
  columns: Columns = shopTables[table].columns,
): Sql {
  const expressions: Columns = { __typename: `'${typenames[table]}'::text`, ...columns };
  const types = schemaMembers[typenames[table]] as Columns;
  const keys = toKeys(projection);
  const parts = projection.map(
    ({ member }, index) => `'${keys[index]}' || ${toJsonValue(expressions[member] as string, types[member])}`,
  );
  return rawSql(`(${concatenate([...parts, `'}'`])})`);
}

/** The keys of an object with the punctuation around them, as PostgreSQL writes them. */
export const toKeys = (columns: Projection): readonly string[] =>
  columns.map(({ name }, index) => `${index === 0 ? '{' : ','}"${name}":`);

/** In pairs: sequentially, PostgreSQL would copy the growing text for each part. */
function concatenate(parts: readonly string[]): string {
  if (parts.length < 3) return parts.join(' || ');
  const half = parts.length >> 1;
  return `(${concatenate(parts.slice(0, half))}) || (${concatenate(parts.slice(half))})`;
}

/** Numbers, ids and times are not escaped, which would take PostgreSQL longer. */
function toJsonValue(expression: string, type = ''): string {
  if (/^(?:Int|Long)/.test(type)) return `coalesce(${expression}::text, 'null')`;
  const text = /^(?:ID|DateTime)/.test(type) ? `'"' || ${expression} || '"'` : `to_json(${expression})::text`;
  return `coalesce(${text}, 'null')`;
}

/**
 * A row as the REST API shows it: every column in the order and spelling of that API. The enclosing object is not
 * included.
 */
export const restForms: Readonly<Record<ShopTableName, readonly (ProjectedColumn & Pick<Column, 'bound'>)[]>> = {
  products: restColumnsOf('products'),
  variants: restColumnsOf('variants'),
  collections: restColumnsOf('collections'),
  orders: restColumnsOf('orders'),
};

/** Whether the projection is that form. */
export function isRestForm(
  table: ShopTableName,
  projection: readonly Pick<ProjectedColumn, 'name' | 'member'>[],
): boolean {
  const form = restForms[table];
  const isAlike = ({ name, member }: ProjectedColumn, index: number) =>
    projection[index]?.name === name && projection[index].member === member;
  return projection.length === form.length && form.every(isAlike);
}

/** A row with all of its members, as in exports and the change feed: those of REST first. */
export function toWholeJson(table: ShopTableName): Sql {
  const [form, whole] = [restForms[table], columnsOf(table)];
  const { restJson }: ShopTable = shopTables[table];
  if (restJson === undefined) return toJsonObject(table, whole);
  if (form.length === whole.length) return rawSql(restJson);
  const others = toJsonObject(table, whole.slice(form.length));
  return sql`(left(${rawSql(restJson)}, -1) || ',' || substr(${others}, 2))`;
}

/** An object with its type name, as interfaces require. */
export interface TypedObject {
  readonly __typename: 'Shop' | 'Product' | 'Variant' | 'Collection' | 'Order';
}

/** The row itself is shared with other fields and is not modified. */
export const withTypeName = <Row extends object>(type: TypedObject['__typename'], row: Row): Row & TypedObject => ({
  ...row,
  __typename: type,
});

/** The types of objects in the change feed, in their order within one version. */
export const objectTypes = ['PRODUCT', 'VARIANT', 'COLLECTION', 'ORDER'] as const;

export type ObjectType = (typeof objectTypes)[number];

/** `kind` is the value in `changes.kind`. */
const toFacts = (table: ShopTableName, scope: Scope) => ({
  kind: changeKinds[table],
  table,
  typename: typenames[table],
  scope,
});

export const factsOf = {
  PRODUCT: toFacts('products', 'catalog:read'),
  VARIANT: toFacts('variants', 'catalog:read'),
  COLLECTION: toFacts('collections', 'catalog:read'),
  ORDER: toFacts('orders', 'orders:read'),
} as const satisfies Record<ObjectType, unknown>;
