import { maximumAnswerBytes, maximumRowBytes } from '../../catalog/answer-size';
import { getOrMake } from '../../common/once';
import {
  columnLengths,
  importedColumnsOf,
  optionsLimit,
  tagLimits,
  type Column,
  type ObjectTable,
} from '../../catalog/model';
import { type ImportError, SourceLocation } from '../values/import-error';
import type { Problems } from './problems';
import type { CatalogRecord, CollectionValues, ProductRecord, ProductValues, VariantValues } from './record';
import { safeBounds } from '../values/numbers';

/**
 * Checks the values of a record of any format against the limits of their columns, and that a product's variants have
 * different ids. A problem reports the line where the object begins and the member as the specification names it.
 */
export function checkLengths(record: CatalogRecord, file: string, problems: Problems): void {
  if (!('values' in record)) return;
  const at = { location: new SourceLocation(file, record.line), problems };
  checkTexts(record.values, columnLengths[`${record.kind}s`], at);
  if ('tags' in record.values) checkTags(record.values.tags, at);
  if ('description_html' in record.values) checkRowSize(record.values, at);
  if (record.kind !== 'product') return;
  checkStock(record.variants, at);
  const ids = new Set<string>();
  record.variants.forEach((variant, index) => checkVariant(variant, ids, at, `variants[${index}].`));
}

const listsOf = (table: ObjectTable) => importedColumnsOf(table).filter(({ kind }) => kind === 'list');
const lists = {
  products: listsOf('products'),
  collections: listsOf('collections'),
  orders: listsOf('orders'),
  shops: [],
};

/**
 * Shortens lists of objects to what their columns hold, so that one order with too many lines does not fail the import.
 */
export class ListLimits {
  readonly #shortened = new Map<string, { objects: number; readonly line: number }>();

  apply(record: CatalogRecord): CatalogRecord {
    if (!('values' in record)) return record;
    const shortened: Record<string, readonly object[]> = {};
    for (const column of lists[`${record.kind}s`]) {
      const { name } = column;
      const items = (record.values as Readonly<Record<string, readonly object[] | null>>)[name] ?? [];
      const kept = countWithin(items, column);
      if (kept === items.length) continue;
      shortened[name] = items.slice(0, kept);
      getOrMake(this.#shortened, name, () => ({ objects: 0, line: record.line })).objects += 1;
    }
    return Object.keys(shortened).length === 0
      ? record
      : ({ ...record, values: { ...record.values, ...shortened } } as CatalogRecord);
  }

  get warnings(): readonly string[] {
    return [...this.#shortened].map(([name, { objects, line }]) =>
      describeShortened(name, objects, ` (first on line ${line})`),
    );
  }
}

/** The warning about objects whose lists were shortened. */
export function describeShortened(name: string, objects: number, where = ''): string {
  const { count, bytes } = listColumns.find((column) => column.name === name) as Column;
  return `${name} of ${objects} ${objects === 1 ? 'object' : 'objects'}${where} exceed ${count} items or ${bytes} bytes: only the first that fit were imported`;
}

/** How many of the items fit. */
function countWithin(items: readonly object[], { count = 0, bytes = 0 }: Column): number {
  const some = items.slice(0, count);
  let left = bytes - 2;
  // A character takes three bytes at most, so most lists need no exact count.
  if (toJsonbText(some).length * 3 <= left) return some.length;
  const beyond = some.findIndex((item) => (left -= Buffer.byteLength(toJsonbText([item]))) < 0);
  return beyond === -1 ? some.length : beyond;
}

interface At {
  readonly location: SourceLocation;
  readonly problems: Problems;
}

const listColumns = Object.values(lists).flat();

function checkTexts(values: object, limits: Readonly<Record<string, number>>, at: At, path = ''): void {
  for (const name in limits) {
    const value = (values as Readonly<Record<string, unknown>>)[name];
    if (typeof value === 'string') checkBytes(value, limits[name] as number, at, path + name);
  }
}

/** A character takes three bytes at most, so most texts need no exact count. */
function checkBytes(text: string, limit: number, { location, problems }: At, field: string): void {
  if (text.length * 3 <= limit) return;
  const bytes = Buffer.byteLength(text);
  if (bytes > limit) problems.add(location.at(field).fault(`expected at most ${limit} bytes, got ${bytes}`));
}

function checkTags(tags: readonly string[], at: At): void {
  const { count, bytes } = tagLimits;
  if (tags.length > count) {
    at.problems.add(at.location.at('tags').fault(`expected at most ${count} tags, got ${tags.length}`));
  } else if (tags.length > 0) checkBytes(tags.join(''), bytes, at, 'tags');
}

/** @param ids of the variants before it; empty ids have been reported */
function checkVariant(variant: VariantValues, ids: Set<string>, at: At, path: string): void {
  const { external_id: id } = variant;
  if (id !== '' && ids.has(id))
    at.problems.add(at.location.at(`${path}external_id`).fault(`${JSON.stringify(id)} appears twice`));
  ids.add(id);
  checkTexts(variant, columnLengths.variants, at, path);
  let longest = 0;
  for (const { name, value } of variant.options)
    longest += (name.length + value.length) * longestEscape + optionOverhead;
  // Most options need no exact count.
  if (longest > optionsLimit) checkBytes(toJsonbText(variant.options), optionsLimit, at, `${path}options`);
}

/** Each quantity is exact, but their sum may not be (D22). */
function checkStock(variants: readonly VariantValues[], { location, problems }: At): void {
  const stock = variants.reduce((sum, { inventory_quantity: quantity }) => sum + BigInt(quantity ?? 0), 0n);
  const { min, max } = safeBounds;
  if (stock < min || stock > max) {
    problems.add(location.at('variants').fault(`expected a total stock from ${min} to ${max}, got ${stock}`));
  }
}

/** The text that PostgreSQL writes: with a space after each colon and comma. */
const toJsonbText = (items: readonly object[]): string => {
  const toText = (item: object): string =>
    Object.entries(item)
      .map(([name, value]) => `"${name}": ${JSON.stringify(value)}`)
      .join(', ');
  return `[${items.map((item) => `{${toText(item)}}`).join(', ')}]`;
};

/** Texts within their own limits may exceed the row limit when they consist mostly of characters that JSON escapes. */
function checkRowSize(values: ProductValues | CollectionValues, { location, problems }: At): void {
  if (((values.description_html?.length ?? 0) + longestOthers) * longestEscape <= maximumRowBytes) return;
  const bytes = overheadBytes + Buffer.byteLength(JSON.stringify(values));
  if (bytes > maximumRowBytes)
    problems.add(location.fault(`expected an object of at most ${maximumRowBytes} bytes as JSON text, got ${bytes}`));
}

/** More than all other columns of a product or a collection can hold. */
const longestOthers = 600_000;
/** `\u0001` for one byte. */
const longestEscape = 6;
/** More than the member names and punctuation of an option take. */
const optionOverhead = 30;

/** More than the names of a product's or a variant's members take. */
const longestNames = 500;

/** The size in a response of what an object has in addition to the values of its file: id and timestamps. */
export const overheadBytes = 200;

/** More variants never fit in one response, so a format that collects the lines of an object can stop here. */
export const maximumVariants = Math.floor(maximumAnswerBytes / overheadBytes);

/** The limit on the text that a format collects for one product: as much as one line of a snapshot may hold. */
export const maximumProductCharacters = 2 * maximumAnswerBytes;

interface Row {
  readonly location: SourceLocation;
  report(problem: ImportError): void;
}

/**
 * Notes a row of an object.
 * @returns false for the first row too many, which is reported, and for later ones
 */
export function noteRow(rows: number[], row: Row): boolean {
  if (rows.length > maximumVariants) return false;
  const isWithin = rows.push(row.location.line) <= maximumVariants;
  if (!isWithin) row.report(row.location.fault(`expected at most ${maximumVariants} rows of one object, got more`));
  return isWithin;
}

/**
 * Checks that a product fits in one response, which contains all of its variants.
 * @param characters The size of the product and its variants without their member names.
 * @throws ImportError
 */
export function checkProductSize({ values, variants, line }: ProductRecord, characters: number, file: string): void {
  const overhead = (variants.length + 1) * overheadBytes;
  // No character takes more than six bytes of JSON, so most products need no exact count.
  if (characters * 6 + overhead + (variants.length + 1) * longestNames <= maximumAnswerBytes) return;
  const bytes = overhead + Buffer.byteLength(JSON.stringify([values, variants]));
  if (bytes <= maximumAnswerBytes) return;
  throw new SourceLocation(file, line, 'variants').fault(
    `expected at most ${maximumAnswerBytes} bytes for a product and its variants, got ${bytes} with ${variants.length} variants`,
  );
}
