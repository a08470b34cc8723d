import type { FileSample, Format } from './format';
import { maskAddresses } from '../privacy/addresses';
import { formats, type FormatName } from './formats';
import { MapFormat } from './maps/map-format';
import { ImportError } from './import-error';
import { parseFirstRows } from './source/csv-rows';
import { delimiterName, delimiters } from './source/delimiters';
import { describeMarkup } from './source/file-kinds';
import { nameForeignTable } from './source/foreign-tables';
import { memberPaths } from './source/json-elements';
import type { SourceFile } from './source/source-file';
import { maxRowBytes } from './source/table-row';

/** A way to read a file, and what it then looks like. */
interface Reading {
  readonly sample: FileSample;
  /** Undefined where nothing is separated: JSON and workbooks. */
  readonly delimiter: string | undefined;
}

export interface Detected {
  readonly format: Format;
  readonly sample: FileSample;
}

/**
 * The format of a file, by what stands in it. A format that was asked for by name must fit the file, too. The delimiter is the
 * one by which the header is a known one: so it is found together with the format.
 * @param wanted a format's name, or the formats of a map
 */
export async function detectFormat(
  source: SourceFile,
  wanted: FormatName | 'auto' | readonly Format[],
): Promise<Detected> {
  const isMap = typeof wanted !== 'string';
  const candidates: readonly Format[] = isMap
    ? wanted
    : formats.filter(({ name }) => wanted === 'auto' || name === wanted);
  const readings = await toReadings(source, isMap ? wanted.flatMap(({ delimiter }) => delimiter ?? []) : []);
  const found = readings.flatMap(({ sample, delimiter }) => {
    const format = candidates.find((candidate) => fits(candidate, delimiter, source) && candidate.recognises(sample));
    return format === undefined ? [] : [{ format, delimiter, sample }];
  });
  const [first, ...others] = found;
  if (first && others.length > 0) {
    const names = found.map(({ delimiter }) => delimiterName(delimiter ?? ','));
    throw new ImportError(`${source.name}: could be separated by ${names.join(' or ')}; say which with --delimiter`);
  }
  if (first) {
    source.delimiter = first.delimiter;
    return { format: first.format, sample: first.sample };
  }
  if (isMap) throw new ImportError(`${source.name}: ${describeUnmapped(wanted, readings)}`);
  const known = candidates.map(({ name, description }) => `  ${name}: ${description}`).join('\n');
  const intro = wanted === 'auto' ? 'is in no format that can be imported' : `is not in the format ${wanted}`;
  const advice = readings.some(({ sample }) => sample.header.size > 1)
    ? '\nOther tables are read by a map of their columns (--map); --explain shows what the columns hold.'
    : '';
  throw new ImportError(`${source.name}: ${intro}: ${describe(source, readings)}.\nExpected:\n${known}${advice}`);
}

/** The beginning of a table that nobody knows, by the delimiter that gives it most columns; undefined for what is no table. */
export async function looksLike(source: SourceFile): Promise<FileSample | undefined> {
  const readings = await toReadings(source, []);
  if (readings.some(({ sample }) => startsJson(sample.firstLine) || sample.firstLine.startsWith('<'))) return undefined;
  const widest = readings.reduce((a, b) => (b.sample.header.size > a.sample.header.size ? b : a));
  if (widest.sample.header.size < 2) return undefined;
  source.delimiter = widest.delimiter;
  return widest.sample;
}

/** What a map says of delimiters counts, unless the user or the file says otherwise. */
const fits = (format: Format, delimiter: string | undefined, { givenDelimiter }: SourceFile): boolean =>
  delimiter === undefined || givenDelimiter !== undefined || (format.delimiter ?? delimiter) === delimiter;

/** What a file lacks of the columns of a map, in the reading in which it lacks least. */
function describeUnmapped(maps: readonly Format[], readings: readonly Reading[]): string {
  const map = maps.find((format) => format instanceof MapFormat);
  const lacks = readings
    .map(({ sample }) => ({ sample, lacks: map?.lacks(sample) ?? [] }))
    .reduce((a, b) => (b.lacks.length < a.lacks.length || (b.lacks.length === a.lacks.length && b.sample.header.size > a.sample.header.size) ? b : a)); // prettier-ignore
  const names = [...lacks.sample.header].filter((name) => name !== '').map((name) => maskAddresses(name).slice(0, 40));
  const missing = lacks.lacks.map((name) => JSON.stringify(name)).join(', ');
  return names.length > 1
    ? `does not fit the map ${map?.map.source ?? ''}: it has no column ${missing}; its columns are ${names.slice(0, 8).join(', ')}${names.length > 8 ? ', …' : ''}`
    : `does not fit the map ${map?.map.source ?? ''}, which describes a table with columns such as ${missing}: it is no CSV and no workbook, or has another delimiter (say which with --delimiter)`;
}

async function toReadings(source: SourceFile, others: readonly string[]): Promise<readonly Reading[]> {
  if (source.sheet) return [{ sample: toSample('', [source.sheet.header]), delimiter: undefined }];
  const { beginning, givenDelimiter } = source;
  const firstLine = (beginning.split('\n').find((line) => line.trim() !== '') ?? '').trim();
  if (startsJson(firstLine)) {
    return [{ sample: toSample(firstLine, [], memberPaths(beginning)), delimiter: undefined }];
  }
  // What has a longer header is refused when it is read.
  const text = beginning.replace(/^(?:[ \t]*\r?\n)+/, '').slice(0, maxRowBytes);
  const usual = new Set([...delimiters.map(([sign]) => sign), ...others]);
  const tried = givenDelimiter === undefined ? [...usual] : [givenDelimiter];
  return Promise.all(
    tried.map(async (delimiter) => {
      return { sample: toSample(firstLine, await parseFirstRows(text, delimiter, sampleRows)), delimiter };
    }),
  );
}

/** A column name may stand in brackets, too. */
const startsJson = (line: string): boolean => /^(?:\{|\[\s*(?:[[{\]]|$))/.test(line);

/** The header and a few rows: enough to see what a column holds. */
const sampleRows = 20;

const toSample = (
  firstLine: string,
  rows: readonly (readonly string[])[],
  members: ReadonlySet<string> = new Set(),
): FileSample => ({
  firstLine,
  header: new Set((rows[0] ?? []).map((cell) => cell.trim().toLowerCase())),
  rows,
  members,
});

/** What the file looks like instead. Of its content only column names are shown, and of them only the first. */
function describe({ beginning }: SourceFile, readings: readonly Reading[]): string {
  const firstLine = readings[0]?.sample.firstLine ?? '';
  if (startsJson(firstLine)) return describeJson(readings[0]?.sample.members ?? new Set());
  if (firstLine.startsWith('<')) return describeMarkup(beginning);
  const foreign = readings.map(({ sample }) => nameForeignTable(sample.header)).find((name) => name !== undefined);
  if (foreign !== undefined) return `it is ${foreign}; import the export of the shop itself`;
  const { header } = readings.map(({ sample }) => sample).reduce((a, b) => (b.header.size > a.header.size ? b : a));
  const names = [...header].filter((name) => name !== '');
  if (names.length === 1 && names[0]?.includes(',') === true) {
    return 'each of its lines is one quoted cell (a spreadsheet saved it with another delimiter than it was opened with); export it again';
  }
  const shown = names.slice(0, 8).map((name) => maskAddresses(name).slice(0, 40));
  return names.length > 1
    ? `its columns are ${shown.join(', ')}${names.length > 8 ? ', …' : ''}`
    : 'it is no CSV, no workbook and no JSON';
}

/** Member names tell people which file they took. */
function describeJson(members: ReadonlySet<string>): string {
  if (members.size === 0) return 'it is JSON without objects';
  const names = [...members].slice(0, 8).map((name) => maskAddresses(name).slice(0, 40));
  return `it is JSON whose objects have neither a known "type" nor the members of a known export, but ${names.join(', ')}${members.size > 8 ? ', …' : ''}`;
}
