import type { ColumnName, ImportedMember, ObjectTable } from '../../catalog/model';
import { importedColumnsOf } from '../../catalog/model';

type ColumnTypes<Members extends string> = Readonly<Record<ColumnName<Members>, string>>;

/** The columns that a format provides, each with the type as which its JSON text is read. */
function toColumnTypes<Table extends ObjectTable, Left extends ImportedMember<Table>>(
  table: Table,
  ...leftOut: readonly Left[]
): ColumnTypes<Exclude<ImportedMember<Table>, Left>> {
  const columns = importedColumnsOf(table).filter(({ member }) => !(leftOut as readonly string[]).includes(member));
  return Object.fromEntries(columns.map(({ name, sql }) => [name, sql])) as ColumnTypes<
    Exclude<ImportedMember<Table>, Left>
  >;
}

export const collectionColumns = toColumnTypes('collections', 'externalId');
export const orderColumns = toColumnTypes('orders', 'externalId');

/** Without the timestamps, which may have to be generated for products and variants. */
export const productColumns = toColumnTypes('products', 'externalId', 'publishedAt', 'createdAt', 'updatedAt');
export const variantColumns = toColumnTypes('variants', 'externalId', 'createdAt', 'updatedAt');

/** `a, b, c`, or `stored.a, stored.b, stored.c` with a table's name. */
export const listColumns = (columns: Readonly<Record<string, string>>, table?: string): string =>
  Object.keys(columns)
    .map((name) => (table === undefined ? name : `${table}.${name}`))
    .join(', ');

/** `a text, b bigint`: the column definitions for the members of a batch's JSON text. */
export const defineColumns = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ');
