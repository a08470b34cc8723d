import type { FileSample, Format } from './formats/format';
import { listFirst, displayName } from './values/display-names';
import { formats, type FormatName } from './formats';
import { MapFormat } from './maps/map-format';
import { ObjectsMapFormat } from './maps/objects-map-format';
import { ImportError } from './values/import-error';
import { parseFirstRows } from './source/csv-rows';
import { delimiterName, delimiters } from './source/delimiters';
import { describeMarkup } from './source/file-kinds';
import { describeForeignTable } from './source/foreign-tables';
import { longestSample, memberPaths } from './source/json-elements';
import { jsonBeginning, type SourceFile } from './source/source-file';

/** One way to parse a file, and the sample that it yields. */
interface Reading {
  readonly sample: FileSample;
  /** Undefined for JSON and workbooks, which have no delimiter. */
  readonly delimiter: string | undefined;
}

export interface Detected {
  readonly format: Format;
  readonly sample: FileSample;
}

/**
 * Detects the format of a file from its content. A format that was requested by name must match too. The delimiter is
 * the one that yields a known header, so format and delimiter are found together.
 * @param wanted a format's name, or the formats of a map
 */
export function detectFormat(source: SourceFile, wanted: FormatName | 'auto' | readonly Format[]): Detected {
  const isMap = typeof wanted !== 'string';
  const candidates: readonly Format[] = isMap
    ? wanted
    : formats.filter(({ name }) => wanted === 'auto' || name === wanted);
  const readings = toReadings(source, isMap ? wanted.flatMap(({ delimiter }) => delimiter ?? []) : []);
  const found = readings.flatMap(({ sample, delimiter }) => {
    const format = candidates.find((candidate) => fits(candidate, delimiter, source) && candidate.recognises(sample));
    return format === undefined ? [] : [{ format, delimiter, sample }];
  });
  const [first, ...others] = found;
  if (first && others.length > 0) {
    const names = found.map(({ delimiter }) => delimiterName(delimiter ?? ','));
    throw new ImportError(`${source.name}: could be separated by ${names.join(' or ')}; choose one with --delimiter`);
  }
  if (first) {
    source.delimiter = first.delimiter;
    return { format: first.format, sample: first.sample };
  }
  if (isMap) throw new ImportError(`${source.name}: ${describeUnmapped(wanted, readings)}`);
  const [only] = candidates;
  if (wanted !== 'auto' && only) {
    throw new ImportError(
      `${source.name}: is not in the format ${wanted}: ${describe(source, readings)}; expected ${only.description}`,
    );
  }
  const advice = readings.some(({ sample }) => sample.header.size > 1)
    ? 'A map of its columns reads any other table (--suggest-map, docs/maps.md); --explain shows what the columns hold.\n'
    : '';
  throw new ImportError(
    `${source.name}: is in no format that can be imported: ${describe(source, readings)}.\n${advice}` +
      'Formats, which `catalog help import` describes: ' +
      `${candidates.map(({ name }) => name).join(', ')}`,
  );
}

/**
 * Samples a table of an unknown format, with the delimiter that yields the most columns. Returns undefined for a file
 * that is not a table.
 */
export function sampleUnknownTable(source: SourceFile): FileSample | undefined {
  const readings = toReadings(source, []);
  if (readings.some(({ sample }) => startsJson(sample.firstLine) || sample.firstLine.startsWith('<'))) return undefined;
  const widest = readings.reduce((a, b) => (b.sample.header.size > a.sample.header.size ? b : a));
  if (widest.sample.header.size < 2) return undefined;
  source.delimiter = widest.delimiter;
  return widest.sample;
}

/** Whether the delimiter is acceptable: a map's delimiter applies unless the user or the file specifies another. */
const fits = (format: Format, delimiter: string | undefined, { givenDelimiter }: SourceFile): boolean =>
  delimiter === undefined || givenDelimiter !== undefined || (format.delimiter ?? delimiter) === delimiter;

/** Describes the map columns that a file lacks, in the reading that lacks the fewest. */
function describeUnmapped(maps: readonly Format[], readings: readonly Reading[]): string {
  const map = maps.find((format) => format instanceof MapFormat || format instanceof ObjectsMapFormat);
  const lacks = readings
    .map(({ sample }) => ({ sample, lacks: map?.lacks(sample) ?? [] }))
    .reduce((a, b) => (b.lacks.length < a.lacks.length || (b.lacks.length === a.lacks.length && b.sample.header.size > a.sample.header.size) ? b : a)); // prettier-ignore
  const names = [...lacks.sample.header].filter((name) => name !== '');
  const missing = lacks.lacks.map((name) => JSON.stringify(name)).join(', ');
  return names.length > 1
    ? `does not fit the map ${map?.map.source ?? ''}: it has no column ${missing}; its columns are ${listNames(names)}`
    : `does not fit the map ${map?.map.source ?? ''}, which describes a table with columns such as ${missing}: it is neither CSV nor a workbook, or has another delimiter (choose one with --delimiter)`;
}

function toReadings(source: SourceFile, others: readonly string[]): readonly Reading[] {
  if (source.sheet) return [{ sample: toSample('', [source.sheet.header]), delimiter: undefined }];
  const { beginning, givenDelimiter } = source;
  const firstLine = (beginning.split('\n').find((line) => line.trim() !== '') ?? '').trim();
  if (startsJson(firstLine)) {
    return [{ sample: toSample(firstLine, [], memberPaths(beginning)), delimiter: undefined }];
  }
  // Of a longer header the beginning has to be enough, and it is rejected when the file is read if it has too many
  // columns.
  const text = beginning.replace(/^(?:[ \t]*\r?\n)+/, '').slice(0, longestSample);
  const usual = new Set([...delimiters.map(([sign]) => sign), ...others]);
  const tried = givenDelimiter === undefined ? [...usual] : [givenDelimiter];
  const readings: Reading[] = [];
  for (const delimiter of tried) {
    readings.push({ sample: toSample(firstLine, parseFirstRows(text, delimiter, sampleRows)), delimiter });
  }
  return readings;
}

/** Whether a line starts JSON. A column name may be in brackets too. */
const startsJson = (line: string): boolean => /^(?:\{|\[\s*(?:[[{\]]|$))/.test(line);

/** The header and a few rows: enough to show what a column holds. */
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

/**
 * Describes what the file appears to be instead. Shows only column names of its content, and only the first of them.
 */
function describe({ beginning }: SourceFile, readings: readonly Reading[]): string {
  const firstLine = readings[0]?.sample.firstLine ?? '';
  if (startsJson(firstLine)) {
    const searched = beginning.length < jsonBeginning ? '' : ` (in its first ${beginning.length} characters)`;
    return describeJson(readings[0]?.sample.members ?? new Set()) + searched;
  }
  if (firstLine.startsWith('<')) return describeMarkup(beginning);
  const foreign = readings.map(({ sample }) => describeForeignTable(sample.header)).find((name) => name !== undefined);
  if (foreign !== undefined) return `it is ${foreign}; import the export of the shop itself`;
  const { header } = readings.map(({ sample }) => sample).reduce((a, b) => (b.header.size > a.header.size ? b : a));
  const names = [...header].filter((name) => name !== '');
  if (names.length === 1 && names[0]?.includes(',') === true) {
    return 'each of its lines is one quoted cell (a spreadsheet saved it with another delimiter than it was opened with); export it again';
  }
  return names.length > 1 ? `its columns are ${listNames(names)}` : 'it is not CSV, a workbook or JSON';
}

const listNames = (names: Iterable<string>): string => listFirst(names, 8, (name) => displayName(name, 40));

/** Describes the member names, which show people which file they chose. */
function describeJson(members: ReadonlySet<string>): string {
  if (members.size === 0) return 'it is JSON without objects';
  return `it is JSON whose objects have neither a known "type" nor the members of a known export, but ${listNames(members)}`;
}
