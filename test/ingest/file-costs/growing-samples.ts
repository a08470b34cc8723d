import { parse } from 'csv-parse/sync';
import { formatNames, type FormatName } from '../../../src/ingest/formats/descriptions';
import { samples } from '../format-samples';
import { csv } from '../make-files';
import { fill, join, numbered, type GrowingFile } from './growing-files';

/** The files of one format, each growing in one dimension of the format's sample. */
export interface FormatShapes {
  readonly format: FormatName;
  /** The number of objects, of rows or children of one object, and of columns or members. */
  readonly counts: readonly GrowingFile[];
  /** What one cell or member may contain. */
  readonly values: readonly GrowingFile[];
}

/** A position in a text for the part that grows. */
const marker = '\u0007';

/** Inserts the part that grows into a text. */
function atMarker(text: string, grown: Buffer): Buffer {
  const at = text.indexOf(marker);
  return join(text.slice(0, at), grown, text.slice(at + marker.length));
}

/** Repeats a block of text, each time as another object. */
const repeated = (size: number, block: (number: string) => string, between = ''): Buffer =>
  numbered(size, (index) => (index === 0 ? '' : between) + block(String(index).padStart(7, '0')));

/** Columns and members that identify objects. */
const identities =
  /^(?:id|external_id|__parentid|product_id|number|name|slug|handle|handleid|sku|parent|product id.*|variant id.*|variant sku|reference.*|product code\/sku|configurable_variations)$/i;

/** What every row of an object has, in formats in which an object's rows follow each other. */
const rowIdentity = /^(?:handle|name)$/i;

/** What a table cell may contain much of. Quotes are doubled in it. */
const cellContents: readonly (readonly [name: string, make: (size: number, unit: string) => Buffer])[] = [
  ['a text', (size, unit) => fill(size, unit)],
  ['digits', (size) => fill(size, '9')],
  ['a list with commas', (size) => fill(size, 'a,')],
  ['a list of numbers', (size) => numbered(size, (index) => `${index},`)],
  ['a list with bars', (size) => fill(size, 'a=b|')],
  ['a list of options', (size) => fill(size, '[S]A=B,')],
  ['a list of categories', (size) => numbered(size, (index) => `a${index} > `)],
  ['lines', (size) => fill(size, 'a\n')],
  ['entities', (size) => fill(size, '&amp;')],
];

function tableShapes(format: FormatName, sample: string): Omit<FormatShapes, 'format'> {
  const delimiter = (sample.split('\n')[0] ?? '').includes(';') ? ';' : ',';
  const [header = [], ...rows] = parse(sample, { delimiter, relax_column_count: true });
  const write = (table: readonly (readonly string[])[]): string => csv(table, delimiter, '\n');
  const headerText = write([header]);
  const own = rows.flatMap((cells) => cells.filter((cell, column) => cell !== '' && identities.test(header[column] ?? ''))); // prettier-ignore
  const ids = [...new Set(own)].filter((cell) => !/[=:]/.test(cell)).sort((a, b) => b.length - a.length);
  const renamed = (cell: string, column: number, number: string): string => {
    const isOwn = identities.test(header[column] ?? '');
    const id = ids.find((one) => (isOwn && one === cell) || (one.length > 2 && cell.includes(one))) ?? /(?<=^id:).+/.exec(cell)?.[0];
    return id === undefined ? cell : cell.replace(id, `${id}${number}`);
  }; // prettier-ignore
  const block = (number: string): string => write(rows.map((cells) => cells.map((cell, column) => renamed(cell, column, number)))); // prettier-ignore
  const shape = (name: string, make: GrowingFile['make']): GrowingFile => ({ name: `${format}: ${name}`, make });
  const filled = rows[0] ?? [];
  return {
    counts: [
      shape('objects', (size) => join(headerText, repeated(size, block))),
      shape('one object', (size) => join(headerText, fill(size, write(rows)))),
      shape('rows of one object', (size) => join(headerText, write(rows), fill(size, write(rows.slice(-1))))),
      shape('numbered rows of one object', (size) => join(headerText, write(rows), repeated(size, (number) => write([(rows.at(-1) ?? []).map((cell, column) => (/option|value|variant|sku|reference/i.test(header[column] ?? '') && cell !== '' ? cell + number : cell))])))),
      shape('rows of pictures of one object', (size) => join(headerText, write(rows), repeated(size, (number) => write([(rows[0] ?? []).map((cell, column) => (rowIdentity.test(header[column] ?? '') ? cell : /^image (?:src|position)$/i.test(header[column] ?? '') ? number : ''))])))),
      shape('columns', (size) => join(headerText.trimEnd(), numbered(size, (index) => `${delimiter}c${index}`), '\n', write(rows))),
    ],
    values: header.flatMap((column, at) =>
      cellContents.map(([what, make]) =>
        shape(`${what} as ${column}`, (size, unit) => {
          const cells = header.map((_, index) => (index === at ? marker : (filled[index] ?? '')));
          const text = write([cells, ...rows.slice(1)]).replace(marker, `"${marker}"`);
          return join(headerText, atMarker(text, make(size, unit.replaceAll('"', ' '))));
        }),
      ),
    ),
  }; // prettier-ignore
}

/** What may replace any JSON value. `own` is the value's text, with numbers in place of ids. */
const jsonContents: readonly (readonly [name: string, make: (size: number, unit: string, own: (number: string) => string) => Buffer])[] = [
  ['a text', (size, unit) => join('"', fill(size, unit), '"')],
  ['digits', (size) => fill(size, '9')],
  ['a text of digits', (size) => join('"', fill(size, '9'), '"')],
  ['a text of commas', (size) => join('"', fill(size, 'a, '), '"')],
  ['texts', (size) => join('[', fill(size, '"a",'), '"a"]')],
  ['objects without members', (size) => join('[', fill(size, '{},'), '{}]')],
  ['many of it', (size, _, own) => join('[', repeated(size, own, ','), ']')],
  ['members', (size) => join('{', numbered(size, (index) => `"m${index}":1,`), '"m":1}')],
  ['depth', (size) => join(fill(size / 2, '['), fill(size / 2, ']'))],
]; // prettier-ignore

/** The paths of all values within a value, with only the first item of each array. */
function pathsOf(value: unknown, path: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Array.isArray(value) ? value.slice(0, 1).map((item, at) => [at, item] as const) : Object.entries(value);
  return [...(path.length === 0 ? [] : [path]), ...inner.flatMap(([name, item]) => pathsOf(item, [...path, name]))];
}

/** A copy of a value with something else at a path. */
function replaced(value: unknown, [name, ...rest]: readonly (string | number)[], other: unknown): unknown {
  if (name === undefined) return other;
  if (Array.isArray(value)) return value.map((item: unknown, at) => (at === name ? replaced(item, rest, other) : item));
  const object = value as Readonly<Record<string, unknown>>;
  return { ...object, [name]: replaced(object[name], rest, other) };
}

const valueAt = (value: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((inner, name) => (inner as Record<string | number, unknown>)[name], value);

/** A copy with other ids. */
function renumbered(value: unknown, number: string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => renumbered(item, number));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => {
      if (!identities.test(name) || (typeof inner !== 'number' && typeof inner !== 'string'))
        return [name, renumbered(inner, number)];
      return [name, typeof inner === 'number' ? Number(`${inner}${number}`.slice(0, 15)) : `${inner}${number}`];
    }),
  );
}

/** What identifies an object, where it belongs, and what it counts. */
const shortened = (text: string): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(JSON.parse(text) as object).filter(([name, value]) => /^(?:__parent)?id$/i.test(name) || typeof value === 'number'),
    ),
  ); // prettier-ignore

function jsonShapes(format: FormatName, sample: string): Omit<FormatShapes, 'format'> {
  const isLines = sample.endsWith('\n');
  const whole: unknown[] = isLines ? sample.trim().split('\n').map((line): unknown => JSON.parse(line)) : [JSON.parse(sample)]; // prettier-ignore
  /** The part to repeat: each line, or the items of the only array. */
  const wrapper = Array.isArray(whole[0]) ? undefined : Object.keys(whole[0] as object)[0];
  const elements = isLines ? whole : ((wrapper === undefined ? whole[0] : valueAt(whole[0], [wrapper])) as unknown[]);
  const [open, between, close] = isLines ? ['', '\n', '\n'] : [wrapper === undefined ? '[' : `{"${wrapper}":[`, ',', wrapper === undefined ? ']' : ']}']; // prettier-ignore
  const text = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(between);
  const shape = (name: string, make: GrowingFile['make']): GrowingFile => ({ name: `${format}: ${name}`, make });
  const file = (...parts: readonly (string | Buffer)[]): Buffer => join(open, ...parts, close);
  const block = (number: string): string => text(elements.map((element) => renumbered(element, number)));
  const last = (number: string): string => {
    const child = elements.at(-1) as Record<string, unknown>;
    return text([{ ...(renumbered(child, number) as object), ...('__parentId' in child && { __parentId: child['__parentId'] }) }]);
  }; // prettier-ignore
  return {
    counts: [
      shape('objects', (size) => file(repeated(size, block, between))),
      shape('one object', (size) => file(fill(size, text(elements) + between), text(elements))),
      shape('children of one object', (size) => file(text(elements), between, repeated(size, last, between))),
      shape('short children of one object', (size) => file(text(elements), between, repeated(size, (number) => shortened(last(number)), between))),
      shape('blanks between objects', (size) => file(text(elements), fill(size, isLines ? '\n' : ' '), between, text(elements))),
    ],
    values: elements.flatMap((element, at) =>
      pathsOf(element).flatMap((path) =>
        jsonContents.map(([what, make]) =>
          shape(`${what} as ${at}.${path.join('.')}`, (size, unit) => {
            const inner = valueAt(element, path);
            const item: unknown = Array.isArray(inner) ? inner[0] : inner;
            const grown = make(size, unit, (number) => JSON.stringify(renumbered(item, number) ?? null));
            return file(atMarker(text(elements.map((one) => (one === element ? replaced(one, path, marker) : one))).replace(JSON.stringify(marker), marker), grown));
          }),
        ),
      ),
    ),
  }; // prettier-ignore
}

/** For every format that the import knows: one without a sample does not compile. */
export const formatShapes: readonly FormatShapes[] = formatNames.map((format) => {
  const sample = samples[format];
  return { format, ...(/^[[{]/.test(sample) ? jsonShapes : tableShapes)(format, sample) };
});
