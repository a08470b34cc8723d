import type { Absent, FileSample, Format } from './formats/format';
import { listFirst, displayName } from './values/display-names';
import { formats } from './formats';
import { descriptionOf, type FormatName } from './formats/descriptions';
import { missingColumn } from './maps/mapped-table';
import { ImportError } from './values/import-error';
import { parseFirstRows } from './source/csv-rows';
import { delimiterName, delimiters } from './source/delimiters';
import { describeMarkup } from './source/file-kinds';
import { absentMembers, memberPaths } from './source/json-elements';
import { sampleObjects } from './source/object-rows';
import { longestBeginning } from './source/read-blocks';
import { jsonBeginning, type SourceFile } from './source/source-file';

/** One way to parse a file, and the sample that it yields. */
interface Reading {
  readonly sample: FileSample;
  /** Undefined for JSON and workbooks, which have no delimiter. */
  readonly delimiter: string | undefined;
  /** Why the parser found no first row. */
  readonly error?: ImportError | undefined;
}

interface Detected {
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
    : formats.filter(({ name, companion }) => wanted === 'auto' || [name, companion?.format].includes(wanted));
  const matches = ({ sample, delimiter }: Reading): (Detected & Reading)[] => {
    const format = candidates.find(
      (candidate) => fits(candidate, delimiter, source) && candidate.absentFrom(sample).length === 0,
    );
    return format === undefined ? [] : [{ format, delimiter, sample }];
  };
  let readings = toReadings(source, isMap ? wanted.flatMap(({ delimiter }) => delimiter ?? []) : []);
  let found = readings.flatMap(matches);
  if (found.length === 0) {
    readings = [...readings, ...asTable(source)];
    found = readings.flatMap(matches);
  }
  const [first, ...others] = found;
  if (first && others.length > 0) {
    const names = found.map(({ delimiter }) => delimiterName(delimiter ?? ','));
    throw new ImportError(`${source.name}: the delimiter could be ${names.join(' or ')}; set it with --delimiter`);
  }
  if (first) {
    read(source, first);
    return first;
  }
  const widest = widestOf(readings);
  if (widest.error && widest.sample.rows.length === 0 && !startsMarkup(widest.sample)) throw widest.error;
  const only = candidates.find(({ name }) => name === wanted);
  if (isMap) {
    // A file without any known column is taken for the first of the formats.
    const { format, sample, delimiter } = candidates
      .flatMap((one) => readings.map((reading) => ({ ...reading, format: one, known: knownIn(one, reading.sample) })))
      .reduce((a, b) => (b.known > a.known ? b : a));
    const absent = new Set(format.absentFrom(sample).map((one) => describeAbsent(one, widest.sample.rows[0])));
    if (absent.size === 0) throw new ImportError(`${source.name}: ${wrongDelimiter(format, delimiter)}`);
    throw new ImportError(
      `${source.name}: missing column${absent.size === 1 ? '' : 's'}: ${[...absent].join(', ')}; ${describe(source, readings)}; expected ${descriptionOf(format)}`,
    );
  }
  const nearest = nearestOf(only ? [only] : candidates, readings);
  if (only)
    throw new ImportError(
      `${source.name}: not in the format ${only.name}: ${nearest?.problem ?? describe(source, readings)}; expected ${descriptionOf(only)}`,
    );
  const advice = widest.sample.header.size > 1 ? `.\n${adviceOnTables}` : '; `catalog help import` lists the formats';
  throw new ImportError(
    `${source.name}: unrecognized format${nearest ? `. Closest match: ${nearest.format.name} (${nearest.problem})` : `: ${describe(source, readings)}`}${advice}`,
  );
}

const adviceOnTables = 'Other tables need a mapping file: --suggest-map prints one (docs/maps.md).';

interface Near {
  readonly format: Format;
  /** For people. */
  readonly problem: string;
}

/**
 * The closest format of a file that matches none: its header is in a later row, or the file has at least three times as
 * many of its names as it lacks.
 */
function nearestOf(candidates: readonly Format[], readings: readonly Reading[]): Near | undefined {
  let nearest: (Near & { readonly score: number }) | undefined;
  for (const { sample, delimiter } of readings) {
    for (let row = 1; row < sample.rows.length; row += 1) {
      const below = toSample('', sample.rows.slice(row));
      const format = candidates.find((candidate) => candidate.absentFrom(below).length === 0);
      if (format)
        return {
          format,
          problem: `the header is in row ${row + 1}, not counting empty lines: delete the rows above it`,
        };
    }
    for (const format of candidates) {
      const [absent, known] = [format.absentFrom(sample), knownIn(format, sample)];
      const score = known - absent.length;
      if (known < 3 * absent.length || score <= (nearest?.score ?? 0)) continue;
      const what = 'column' in format.explains ? 'column' : 'field';
      const problem =
        absent.length === 0
          ? wrongDelimiter(format, delimiter)
          : `missing ${what}${absent.length === 1 ? '' : 's'}: ${listFirst(absent, 8, (one) => describeAbsent(one))}`;
      nearest = { format, score, problem };
    }
  }
  return nearest;
}

const describeAbsent = (absent: Absent, header: readonly string[] = []): string =>
  typeof absent === 'string' ? absent : missingColumn(absent, header);

/** The problem of a file that differs from a format only in its delimiter. */
function wrongDelimiter(format: Format, delimiter: string | undefined): string {
  const [expected, got] = [format.delimiter, delimiter].map((sign) => delimiterName(sign ?? ','));
  return `expected the delimiter ${expected}, got ${got}; set --delimiter ${got}`;
}

/** The number of the file's names that a format reads. */
function knownIn({ explains }: Format, { header, members }: FileSample): number {
  if ('column' in explains)
    return new Set(Object.values(explains.names).flat().filter((name) => header.has(name.toLowerCase()))).size; // prettier-ignore
  const names = [...Object.keys(explains.expected), ...Object.keys(explains.others)];
  return members.size === 0 ? 0 : names.length - absentMembers(members, explains.wrappers, names).length;
}

const widestOf = (readings: readonly Reading[]): Reading =>
  readings.reduce((a, b) => (b.sample.header.size > a.sample.header.size ? b : a));

/** Has a table of an unknown format read with the delimiter that yields the most columns; false for any other file. */
export function readAsTable(source: SourceFile): boolean {
  const widest = widestOf([...toReadings(source, []), ...asTable(source)]);
  if (widest.sample.header.size < 2 || startsMarkup(widest.sample)) return false;
  read(source, widest);
  return true;
}

/** Sets the file to be read the way it was sampled. */
function read(source: SourceFile, { delimiter, sample }: Reading): void {
  source.delimiter = delimiter;
  if (delimiter === undefined && !source.sheet && sample.rows.length > 0) source.objectColumns = sample.rows[0];
}

const startsMarkup = ({ firstLine }: FileSample): boolean => firstLine.startsWith('<');

/** Whether the delimiter is acceptable: a map's delimiter applies unless the user or the file specifies another. */
const fits = (format: Format, delimiter: string | undefined, { givenDelimiter }: SourceFile): boolean =>
  delimiter === undefined || givenDelimiter !== undefined || (format.delimiter ?? delimiter) === delimiter;

function toReadings(source: SourceFile, others: readonly string[]): readonly Reading[] {
  if (source.sheet) return [{ sample: toSample('', source.sheet.sample), delimiter: undefined }];
  const { beginning, givenDelimiter } = source;
  const firstLine = (beginning.split('\n').find((line) => line.trim() !== '') ?? '').trim();
  if (startsJson(firstLine)) {
    return [{ sample: toSample(firstLine, [], memberPaths(beginning)), delimiter: undefined }];
  }
  // The beginning of a longer header has to be enough; one with too many columns is rejected when the file is read.
  const text = beginning.slice(0, longestBeginning);
  const usual = new Set([...delimiters.map(([sign]) => sign), ...others]);
  const tried = givenDelimiter === undefined ? [...usual] : [givenDelimiter];
  return tried.map((delimiter) => {
    const { rows, error } = parseFirstRows(source, text, delimiter, sampleRows);
    return { sample: toSample(firstLine, rows), delimiter, error };
  });
}

/** Flat JSON objects as a table; nothing for any other file. */
function asTable(source: SourceFile): readonly Reading[] {
  const table = sampleObjects(source);
  return table ? [{ sample: toSample('', table), delimiter: undefined }] : [];
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

/** Describes what the file appears to be instead. Of its content, shows only the first column names. */
function describe({ beginning, givenDelimiter }: SourceFile, readings: readonly Reading[]): string {
  const firstLine = readings[0]?.sample.firstLine ?? '';
  if (startsJson(firstLine)) {
    const searched = beginning.length < jsonBeginning ? '' : ` (in its first ${beginning.length} characters)`;
    return `it is JSON with ${listNames(readings[0]?.sample.members ?? []) || 'no fields'}${searched}`;
  }
  if (firstLine.startsWith('<')) return describeMarkup(beginning);
  const { rows } = widestOf(readings).sample;
  const names = (rows[0] ?? []).map((name) => name.trim()).filter((name) => name !== '');
  if (names.length > 1) return `its columns are ${listNames(names)}`;
  if (givenDelimiter !== undefined)
    return `its first row has fewer than two column names with the delimiter ${delimiterName(givenDelimiter)}`;
  if (rows.length > 0 && rows.every(([cell = '']) => cell.includes(',') && !cell.includes('\n'))) {
    return 'every line is a single quoted cell, because a spreadsheet saved it with the wrong delimiter; export it again';
  }
  return 'it is not JSON, and its first row has fewer than two column names';
}

const listNames = (names: Iterable<string>): string => listFirst(names, 8, (name) => displayName(name, 40));
