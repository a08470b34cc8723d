import { Buffer } from 'node:buffer';
import { importedColumnsOf, type Column, type ObjectTable } from '../../catalog/model';
import type { CollectionValues, OrderValues, ProductValues, VariantValues } from '../formats/record';
import type { CopyIn, Query } from './import-transaction';

/** The names of the columns that files can provide, except the external id and those left out. */
const namesOf = <Values>(
  table: ObjectTable,
  ...leftOut: readonly (keyof Values)[]
): readonly (keyof Values & string)[] =>
  importedColumnsOf(table)
    .map(({ name }) => name as keyof Values & string)
    .filter((name) => name !== 'external_id' && !leftOut.includes(name));

export const rowColumns = {
  collections: namesOf<CollectionValues>('collections'),
  orders: namesOf<OrderValues>('orders'),
} as const;

/** Without the timestamps, which may have to be generated for products and variants. */
export const productColumns = namesOf<ProductValues>('products', 'published_at', 'created_at', 'updated_at'); // prettier-ignore
export const variantColumns = namesOf<VariantValues>('variants', 'created_at', 'updated_at');

/** `a, b, c`, or `stored.a, stored.b, stored.c` with a table's name. */
export const listColumns = (names: readonly string[], table?: string): string =>
  names.map((name) => (table === undefined ? name : `${table}.${name}`)).join(', ');

/** The temporary table that holds a batch for the statement that writes it. */
export const stagedTable = (table: ObjectTable): string => `import_${table}`;

const stagedColumnsOf = (table: ObjectTable): readonly StagedColumn[] => [
  { name: 'id', sql: 'uuid' },
  ...importedColumnsOf(table),
  ...(table === 'products' ? [{ name: 'published', sql: 'boolean' }] : []),
];

const stagedColumns: Readonly<Record<ObjectTable, readonly StagedColumn[]>> = {
  products: stagedColumnsOf('products'),
  variants: stagedColumnsOf('variants'),
  collections: [...stagedColumnsOf('collections'), { name: 'products', sql: 'text[]' }],
  orders: stagedColumnsOf('orders'),
};

/**
 * Sends batches to the server by COPY, which takes a third of the CPU time that PostgreSQL needs to parse the same data
 * as JSON.
 */
export class Stage {
  readonly #created = new Set<ObjectTable>();

  constructor(
    private readonly query: Query,
    private readonly copyIn: CopyIn,
  ) {}

  async fill(table: ObjectTable, lines: CopyLines): Promise<void> {
    const name = stagedTable(table);
    if (this.#created.has(table)) await this.query(`TRUNCATE ${name}`);
    else await this.#create(name, stagedColumns[table]);
    this.#created.add(table);
    if (lines.count > 0) await this.copyIn(name, lines.bytes);
  }

  async #create(name: string, columns: readonly StagedColumn[]): Promise<void> {
    const defined = columns.map((column) => `${column.name} ${column.sql ?? ''}`);
    await this.query(`CREATE TEMPORARY TABLE ${name} (number integer, ${defined.join(', ')}) ON COMMIT DROP`);
    // Long texts are compressed once, in their final table.
    const long = columns.filter(({ sql = '' }) => ['text', 'text[]', 'jsonb'].includes(sql));
    const settings = long.map((column) => `ALTER ${column.name} SET STORAGE EXTERNAL`);
    await this.query(`ALTER TABLE ${name} ${settings.join(', ')}`);
  }
}

/** A column of a table that is filled by COPY, with its type. */
type StagedColumn = Pick<Column, 'name' | 'sql'>;

/**
 * The line of COPY's text format for an object.
 * @param number before its members: identifies the object within its batch, and the product of a variant
 */
export function toStagedLine(table: ObjectTable, number: number, values: object): string {
  // Joined, because a text that grows by `+=` keeps all of its parts until it is read.
  const fields: string[] = [String(number)];
  for (const { name, sql } of stagedColumns[table])
    fields.push(toField((values as Readonly<Record<string, unknown>>)[name], sql));
  return `${fields.join('\t')}\n`;
}

function toField(value: unknown, type: string | undefined): string {
  // Missing JSON lists are stored as empty ones.
  if (value === null || value === undefined) return type === 'jsonb' ? '[]' : '\\N';
  if (typeof value === 'string') return escapeField(value);
  if (Array.isArray(value) && type === 'text[]')
    return value.length === 0 ? '{}' : escapeField(toArrayText(value as string[]));
  return escapeField(JSON.stringify(value));
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escapeField = (text: string): string =>
  /[\\\n\r\t]/.test(text) ? text.replace(/[\\\n\r\t]/g, (sign) => escapes[sign] ?? sign) : text;

const toArrayText = (items: readonly string[]): string => `{${items.map(quoteItem).join(',')}}`;

const quoteItem = (item: string): string => `"${/["\\]/.test(item) ? item.replace(/["\\]/g, '\\$&') : item}"`;

const firstBytes = 64 * 1024;

/** Lines of COPY's text format as bytes, which the garbage collector does not have to copy while a batch waits. */
export class CopyLines {
  #bytes = Buffer.alloc(0);
  #length = 0;
  count = 0;

  /** @returns the size of the line in characters */
  add(line: string): number {
    // A character takes three bytes at most.
    const most = this.#length + line.length * 3;
    if (most > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(firstBytes, most, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#length += this.#bytes.write(line, this.#length);
    this.count += 1;
    return line.length;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}
