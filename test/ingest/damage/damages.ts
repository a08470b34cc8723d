import { parseFirstRows } from '../../../src/ingest/source/csv-rows';
import { fc } from '../../support/properties';

/** A table, and how it is written. */
export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

type Damage = (table: Table, delimiter: string) => fc.Arbitrary<string>;

export function parseTable(content: string, delimiter: string): Table {
  const { rows: all } = parseFirstRows({ name: 'table', firstLine: 1 }, content, delimiter, 1000);
  const [header = [], ...rows] = all;
  return { header, rows };
}

const quoted = (cell: string, delimiter: string): string =>
  cell.includes(delimiter) || /["\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

export const writeTable = ({ header, rows }: Table, delimiter: string): string =>
  [header, ...rows].map((cells) => `${cells.map((cell) => quoted(cell, delimiter)).join(delimiter)}\n`).join('');

const columnOf = ({ header }: Table): fc.Arbitrary<number> => fc.nat(header.length - 1);
const rowOf = ({ rows }: Table): fc.Arbitrary<number> => fc.nat(rows.length - 1);

const mapCells = ({ header, rows }: Table, map: (cell: string, column: number) => string): Table => ({
  header,
  rows: rows.map((cells) => cells.map(map)),
});

/** Each row, header first. */
const mapRows = ({ header, rows }: Table, map: (cells: readonly string[]) => readonly string[]): Table => ({
  header: map(header),
  rows: rows.map(map),
});

/** What one locale of a spreadsheet program writes. */
interface Locale {
  readonly delimiter: string;
  readonly comma: boolean;
  readonly words: readonly [yes: string, no: string];
  date(year: string, month: string, day: string): string;
}

const locales: Readonly<Record<string, Locale>> = {
  'en-US': { delimiter: ',', comma: false, words: ['TRUE', 'FALSE'], date: (y, m, d) => `${+m}/${+d}/${y}` },
  'de-DE': { delimiter: ';', comma: true, words: ['WAHR', 'FALSCH'], date: (y, m, d) => `${d}.${m}.${y}` },
  'fr-FR': { delimiter: ';', comma: true, words: ['VRAI', 'FAUX'], date: (y, m, d) => `${d}/${m}/${y}` },
};

/** A cell that a spreadsheet program takes for a number, date or truth value, and saves as displayed. */
function asSaved(cell: string, { comma, words, date }: Locale): string {
  if (/^(?:true|false)$/i.test(cell)) return words[cell.toLowerCase() === 'true' ? 0 : 1];
  const [, year, month, day, time] = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d:\d\d)(?::\d\d)?)?$/.exec(cell) ?? [];
  if (year && month && day) return date(year, month, day) + (time === undefined ? '' : ` ${time}`);
  if (!/^-?\d+(?:\.\d+)?$/.test(cell)) return cell;
  const number = Number(cell);
  const digits = cell.replace(/\D/g, '').length;
  const shown = digits > 11 && !cell.includes('.') ? number.toExponential(5).replace(/\.?0*e/, 'E') : String(number);
  return comma ? shown.replace('.', ',') : shown;
}

const saved =
  (locale: Locale): Damage =>
  (table) =>
    fc.constant(
      writeTable(
        mapCells(table, (cell) => asSaved(cell, locale)),
        locale.delimiter,
      ),
    );

/**
 * A table as a data frame reads and writes it: an integer column with a gap becomes floats, whose digits end in a power
 * of ten from 16 digits on.
 */
const byDataFrame =
  (hasIndex: boolean, missing = ''): Damage =>
  (table, delimiter) => {
    const columns = table.header.map((_, column) => table.rows.map((cells) => cells[column] ?? ''));
    const written = mapCells(table, (cell, column) => {
      const filled = (columns[column] ?? []).filter((one) => one !== '');
      if (cell === '') return missing;
      if (filled.every((one) => /^(?:true|false)$/.test(one))) return cell === 'true' ? 'True' : 'False';
      if (!filled.every((one) => /^-?\d+(?:\.\d+)?$/.test(one))) return cell;
      const isFloat = filled.length < table.rows.length || filled.some((one) => one.includes('.'));
      if (isFloat && Number(cell) >= 1e16) return Number(cell).toExponential();
      const number = isFloat ? String(Number(cell)) : String(cell.includes('.') ? Number(cell) : BigInt(cell));
      return isFloat && !number.includes('.') ? `${number}.0` : number;
    });
    let index = -1;
    const indexed = mapRows(written, (cells) => [index++ < 0 ? '' : String(index - 1), ...cells]);
    return fc.constant(writeTable(hasIndex ? indexed : written, delimiter));
  };

/** What people do to tables. The result must be right, or a message must say what is not. */
export const tableDamages: Readonly<Record<string, Damage>> = {
  sorted: (table, delimiter) =>
    fc.tuple(columnOf(table), fc.boolean()).map(([column, isReverse]) => {
      const rows = [...table.rows].sort((a, b) => ((a[column] ?? '') < (b[column] ?? '') ? -1 : a[column] === b[column] ? 0 : 1)); // prettier-ignore
      return writeTable({ ...table, rows: isReverse ? rows.reverse() : rows }, delimiter);
    }),
  'columns in another order': (table, delimiter) =>
    columnOf(table).map((count) =>
      writeTable(mapRows(table, (cells) => [...cells.slice(count), ...cells.slice(0, count)]), delimiter),
    ),
  'a row twice': (table, delimiter) =>
    rowOf(table).map((row) =>
      writeTable({ ...table, rows: [...table.rows, table.rows[row] ?? []] }, delimiter),
    ),
  'concatenated with itself': (table, delimiter) =>
    fc.boolean().map((hasHeader) => {
      const rows = hasHeader ? [...table.rows, table.header, ...table.rows] : [...table.rows, ...table.rows];
      return writeTable({ ...table, rows }, delimiter);
    }),
  'a column dropped': (table, delimiter) =>
    columnOf(table)
      // A file with fewer images is a valid file.
      .filter((column) => !/- [2-9]$/.test(table.header[column] ?? ''))
      .map((column) => writeTable(mapRows(table, (cells) => cells.toSpliced(column, 1)), delimiter)),
  'a column renamed': (table, delimiter) =>
    fc.tuple(columnOf(table), fc.constantFrom('Spalte', 'Column A', 'nom du champ')).map(([column, name]) =>
      writeTable({ ...table, header: table.header.with(column, name) }, delimiter),
    ),
  'a cell replaced by an error': (table, delimiter) =>
    fc.tuple(rowOf(table), columnOf(table), fc.constantFrom('#N/A', '#REF!', '#WERT!', 'nan')).map(([row, column, error]) =>
      writeTable({ ...table, rows: table.rows.map((cells, at) => (at === row ? cells.with(column, error) : cells)) }, delimiter),
    ),
  'a row of totals': (table, delimiter) =>
    fc.constantFrom('Total', 'Grand total', 'Summe', 'Gesamt', 'Ergebnis', 'Gesamtergebnis').map((word) => {
      const sums = table.header.map((_, column) => table.rows.reduce((sum, cells) => sum + Number(cells[column] ?? ''), 0));
      const totals = [word, ...sums.slice(1).map((sum) => (sum > 0 ? String(sum) : ''))];
      return writeTable({ ...table, rows: [...table.rows, totals] }, delimiter);
    }),
  'read in another encoding': (table, delimiter) =>
    fc.constant(Buffer.from(writeTable(table, delimiter)).toString('latin1')),
  'all columns renamed': (table, delimiter) =>
    fc.constant(writeTable({ ...table, header: table.header.map((_, index) => `Spalte ${index}`) }, delimiter)),
  'a column doubled': (table, delimiter) =>
    columnOf(table).map((column) => writeTable(mapRows(table, (cells) => [...cells, cells[column] ?? '']), delimiter)),
  ...Object.fromEntries(
    Object.entries(locales).map(([name, locale]) => [`saved by a spreadsheet in ${name}`, saved(locale)]),
  ),
  'written by a data frame': byDataFrame(false),
  'written by a data frame, with its index': byDataFrame(true),
  'written by a data frame that names gaps': byDataFrame(false, 'NaN'),
}; // prettier-ignore

/** Damage that drops rows. The remaining objects must be right, or a message must say what is not. */
export const tableCuts: Readonly<Record<string, Damage>> = {
  'rows filtered out': (table, delimiter) =>
    fc.tuple(columnOf(table), rowOf(table)).map(([column, row]) => {
      const value = table.rows[row]?.[column];
      return writeTable({ ...table, rows: table.rows.filter((cells) => cells[column] === value) }, delimiter);
    }),
  'cut off in a row': (table, delimiter) =>
    fc.tuple(rowOf(table), fc.integer({ min: 1, max: table.header.length - 1 }), fc.nat(5)).map(([row, cells, characters]) => {
      const last = table.rows[row] ?? [];
      const whole = writeTable({ ...table, rows: [...table.rows.slice(0, row), last] }, delimiter);
      // A truncated last cell looks like a shorter one.
      const rest = last.slice(cells).map((cell) => quoted(cell, delimiter)).join(delimiter).length + 1;
      return whole.slice(0, whole.length - rest - Math.min(characters, quoted(last[cells - 1] ?? '', delimiter).length) - 1);
    })
    // Whole rows make a file with fewer objects.
    .filter((text) => !text.endsWith('\n')),
}; // prettier-ignore

/** The objects of a JSON file, and how to put them back. */
function openJson(content: string): { objects: readonly object[]; write(objects: readonly unknown[]): string } {
  if (!content.startsWith('[') && content.trim().includes('\n')) {
    const objects = content.trim().split('\n').map((line) => JSON.parse(line) as object); // prettier-ignore
    return { objects, write: (all) => all.map((one) => `${JSON.stringify(one)}\n`).join('') };
  }
  const whole = JSON.parse(content) as object[] | Record<string, object[]>;
  if (Array.isArray(whole)) return { objects: whole, write: (all) => JSON.stringify(all) };
  const [[name = '', objects = []] = []] = Object.entries(whole);
  return { objects, write: (all) => JSON.stringify({ [name]: all }) };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The paths to members at any depth, through array elements. */
const pathsOf = (value: unknown): string[][] => {
  if (Array.isArray(value)) return value.flatMap(pathsOf);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [[name], ...pathsOf(inner).map((path) => [name, ...path])]);
};

const memberOf = (objects: readonly object[]): fc.Arbitrary<string[]> =>
  fc
    .constantFrom(...new Set(pathsOf(objects).map((path) => JSON.stringify(path))))
    .map((path) => JSON.parse(path) as string[]);

/** The value without one member, or with the member renamed. */
const without = (value: unknown, path: readonly string[], instead?: string): unknown => {
  if (Array.isArray(value)) return value.map((element) => without(element, path, instead));
  if (!isObject(value)) return value;
  const [name, ...inner] = path;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]): [string, unknown][] => {
      if (key !== name) return [[key, one]];
      if (inner.length > 0) return [[key, without(one, inner, instead)]];
      return instead === undefined ? [] : [[instead, one]];
    }),
  );
};

/** The same for a JSON file. */
export const jsonDamages: Readonly<Record<string, (content: string) => fc.Arbitrary<string>>> = {
  'a member dropped': (content) => {
    const { objects, write } = openJson(content);
    return memberOf(objects).map((path) => write(objects.map((object) => without(object, path))));
  },
  'a member renamed': (content) => {
    const { objects, write } = openJson(content);
    return memberOf(objects).map((path) => write(objects.map((object) => without(object, path, 'renamed'))));
  },
  'an object twice': (content) => {
    const { objects, write } = openJson(content);
    return fc.nat(objects.length - 1).map((index) => write([...objects, objects[index]]));
  },
  'concatenated with itself': (content) => fc.constant(`${content}\n${content}`),
  'cut off': (content) =>
    fc
      .nat(content.trimEnd().length - 2)
      .map((length) => content.slice(0, length + 1))
      // Whole lines make a file with fewer objects.
      .filter((text) => content.charAt(text.length) !== '\n' && !text.endsWith('\n')),
};
