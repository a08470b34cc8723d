import type { FileSample, Format } from './format';
import { maskAddresses } from '../privacy/addresses';
import { formats, type FormatName } from './formats';
import { ImportError } from './import-error';
import { maxRowBytes, parseCsvHeader } from './source/csv-rows';
import type { SourceFile } from './source/source-file';

/** The format of a file, by what stands in it. A format that was asked for by name must fit the file, too. */
export async function detectFormat(source: SourceFile, wanted: FormatName | 'auto'): Promise<Format<FormatName>> {
  const sample = await toSample(source.beginning);
  const candidates: readonly Format<FormatName>[] = formats.filter(({ name }) => wanted === 'auto' || name === wanted);
  const found = candidates.find((format) => format.recognises(sample));
  if (found) return found;
  const known = candidates.map(({ name, description }) => `  ${name}: ${description}`).join('\n');
  const intro = wanted === 'auto' ? 'is in no format that can be imported' : `is not in the format ${wanted}`;
  throw new ImportError(`${source.name}: ${intro}: ${describe(sample)}.\nExpected:\n${known}`);
}

async function toSample(beginning: string): Promise<FileSample> {
  const firstLine = beginning.split('\n').find((line) => line.trim() !== '') ?? '';
  // What has a longer header is refused when it is read.
  const header = await parseCsvHeader(beginning.trimStart().slice(0, maxRowBytes));
  return { firstLine: firstLine.trim(), header: new Set(header.map((cell) => cell.trim().toLowerCase())) };
}

const delimiters = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'vertical bars'],
] as const;

/** What the file looks like instead. Of its content only column names are shown, and of them only the first. */
function describe({ firstLine, header }: FileSample): string {
  if (firstLine.startsWith('[')) return 'it is a JSON array, not one JSON object a line';
  if (firstLine.startsWith('{')) return 'its first line is no JSON object with a known "type"';
  const other = delimiters.find(([sign]) => firstLine.slice(0, 10_000).split(sign).length > Math.max(1, header.size));
  if (other) return `its first line is separated by ${other[1]}, expected commas`;
  if (firstLine.startsWith('<')) return 'it looks like XML or HTML';
  const names = [...header].filter((name) => name !== '').slice(0, 8).map((name) => maskAddresses(name).slice(0, 40)); // prettier-ignore
  return names.length > 1
    ? `its columns are ${names.join(', ')}${header.size > 8 ? ', …' : ''}`
    : 'it is no CSV and no JSON';
}
