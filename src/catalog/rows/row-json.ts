import type { ProjectedColumn, Projection } from './projection';
import type { ShopTable, ShopTableName } from './shop-tables';
import { shopTables } from './shop-tables';

/* Rows as JSON text, in SQL. */

type Columns = ShopTable['columns'];

/**
 * A row as an array: the names of its members would be half of the data sent, and PostgreSQL spends most of its time on building objects.
 */
export const toJsonArray = (columns: Columns): string => `json_build_array(${Object.values(columns).join(', ')})`;

/** A row as the object in the answer. The names are GraphQL names: letters, digits and underscores. */
export function toJsonObject(
  table: ShopTableName,
  projection: Projection,
  columns: Columns = shopTables[table].columns,
): string {
  const { restJson, typename }: ShopTable = shopTables[table];
  if (restJson !== undefined && isRestForm(table, projection)) return restJson;
  const expressions: Columns = { __typename: `'${typename}'::text`, ...columns };
  const selected = projection.map(({ name, member }) => `${expressions[member]} AS "${name}"`);
  // A name that no client can give a column: PostgreSQL would take the column for the row.
  return `(SELECT row_to_json("the row") FROM (SELECT ${selected.join(', ')}) AS "the row")::text`;
}

/** A row as the REST API shows it: every column in the order and spelling of that API. The enclosing object is not included. */
export const restForm = (table: ShopTableName): Projection => restForms[table];

/** Whether the projection is that form. */
export function isRestForm(table: ShopTableName, projection: Projection): boolean {
  const form = restForm(table);
  const isAlike = ({ name, member }: ProjectedColumn, index: number) =>
    projection[index]?.name === name && projection[index].member === member;
  return projection.length === form.length && form.every(isAlike);
}

const toRestColumn = (member: string): ProjectedColumn => ({
  name: member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  member,
});

const toRestForm = ({ columns }: ShopTable): Projection =>
  Object.keys(columns)
    .filter((member) => member !== 'productId')
    .map(toRestColumn);

const restForms: Readonly<Record<ShopTableName, Projection>> = {
  products: toRestForm(shopTables.products),
  variants: toRestForm(shopTables.variants),
  collections: toRestForm(shopTables.collections),
  orders: toRestForm(shopTables.orders),
};
