import { Buffer } from 'node:buffer';
import type { Column } from '../../catalog/model';

/** A column of a table that is filled by COPY, with its type. */
export type StagedColumn = Pick<Column, 'name' | 'sql'>;

/** The line of COPY's text format for an object, with a number before its members. */
export function toCopyLine(columns: readonly StagedColumn[], number: number, values: object): string {
  // Joined, because a text that grows by `+=` keeps all of its parts until it is read.
  const fields: string[] = [String(number)];
  for (const { name, sql } of columns) fields.push(toField((values as Readonly<Record<string, unknown>>)[name], sql));
  return `${fields.join('\t')}\n`;
}

function toField(value: unknown, type: string | undefined): string {
  if (value === null || value === undefined) return '\\N';
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
