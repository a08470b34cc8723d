import type { FileSample, Format } from './format';
import { maskAddresses } from '../privacy/addresses';
import { formats, type FormatName } from './formats';
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

/**
 * The format of a file, by what stands in it. A format that was asked for by name must fit the file, too. The delimiter is the
 * one by which the header is a known one: so it is found together with the format.
 */
export async function detectFormat(source: SourceFile, wanted: FormatName | 'auto'): Promise<Format<FormatName>> {
  const readings = await toReadings(source);
  const candidates: readonly Format<FormatName>[] = formats.filter(({ name }) => wanted === 'auto' || name === wanted);
  const found = readings.flatMap(({ sample, delimiter }) => {
    const format = candidates.find((candidate) => candidate.recognises(sample));
    return format === undefined ? [] : [{ format, delimiter }];
  });
  const [first, ...others] = found;
  if (first && others.length > 0) {
    const names = found.map(({ delimiter }) => delimiterName(delimiter ?? ','));
    throw new ImportError(`${source.name}: could be separated by ${names.join(' or ')}; say which with --delimiter`);
  }
  if (first) {
    source.delimiter = first.delimiter;
    return first.format;
  }
  const known = candidates.map(({ name, description }) => `  ${name}: ${description}`).join('\n');
  const intro = wanted === 'auto' ? 'is in no format that can be imported' : `is not in the format ${wanted}`;
  throw new ImportError(`${source.name}: ${intro}: ${describe(source, readings)}.\nExpected:\n${known}`);
}

async function toReadings(source: SourceFile): Promise<readonly Reading[]> {
  if (source.sheet) return [{ sample: toSample('', [source.sheet.header]), delimiter: undefined }];
  const { beginning, givenDelimiter } = source;
  const firstLine = (beginning.split('\n').find((line) => line.trim() !== '') ?? '').trim();
  if (startsJson(firstLine)) {
    return [{ sample: toSample(firstLine, [], memberPaths(beginning)), delimiter: undefined }];
  }
  // What has a longer header is refused when it is read.
  const text = beginning.replace(/^(?:[ \t]*\r?\n)+/, '').slice(0, maxRowBytes);
  const tried = givenDelimiter === undefined ? delimiters.map(([sign]) => sign) : [givenDelimiter];
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
