import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainFiles, type FileExplanation } from '../../src/ingest/explain-files';
import { detectFormat } from '../../src/ingest/detect-format';
import { openMap } from '../../src/ingest/open-map';
import { formatNames } from '../../src/ingest/formats/descriptions';
import { SourceFile } from '../../src/ingest/source/source-file';
import { samples } from './format-samples';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'recognition-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** How a file would be read, or why it is not recognized. */
async function explain(content: string, map?: string): Promise<FileExplanation | string> {
  const file = join(directory, 'file');
  await writeFile(file, content);
  const source = await SourceFile.open(file);
  try {
    detectFormat(source, map === undefined ? 'auto' : await openMap(map));
  } catch (error) {
    return (error as Error).message.replace(`${directory}/`, '');
  } finally {
    await source.close();
  }
  const [found] = await explainFiles({ files: [file], format: 'auto' });
  return found as FileExplanation;
}

const tables = formatNames.filter((name) => !/^[{[]/.test(samples[name]));
const delimiterOf = (header: string): string => (header.includes(';') ? ';' : ',');

/** The sample of a format with a header cell replaced, or with the column removed if the replacement is undefined. */
function withHeader(content: string, change: (name: string, index: number) => string): string {
  const [header = '', ...rows] = content.split('\n');
  const sign = delimiterOf(header);
  return [header.split(sign).map(change).join(sign), ...rows].join('\n');
}

it.each([
  ['Product ID;Name *;Enabled', '"Price tax excluded" or "Price tax excluded or Price tax included" or "Price tax included"'],
  ['Product ID;Attribute (Name:Type:Position)*;Quantity', '"Value (Value:Position)*" or "Value (Value:Position)"'],
])('%s is refused with the column that the nearest format of its map requires', async (header, column) => {
  expect(await explain(`${header}\n`, 'prestashop')).toContain(`: missing column: ${column}; its columns`);
}); // prettier-ignore

it('reports no wrong delimiter for a file without rows', async () =>
  expect(await explain('""')).toMatch(/: it is not JSON, and its first row has fewer than two column names;/));

describe.each(tables)('a table of %s with one column renamed', (format) => {
  const [header = ''] = samples[format].split('\n');
  // Our own exports quote none of the first cells, so a header can be split.
  const names = header.split(delimiterOf(header));

  it('is read without the column, which is reported, or refused with the format and the column', async () => {
    for (const [index, name] of names.entries()) {
      const found = await explain(withHeader(samples[format], (cell, at) => (at === index ? 'Xyzzy' : cell)));
      if (typeof found === 'string') {
        expect(found).toMatch(new RegExp(`^file: unrecognized format. Closest match: ${format} \\(missing column: .*`));
        expect(found.toLowerCase()).toContain(name.toLowerCase().replace(/\*$/, ''));
      } else {
        expect([format, name, found.format]).toEqual([format, name, format]);
        expect(found.columns.find((column) => column.name === 'Xyzzy')?.becomes).toBeNull();
        const whole = (await explain(samples[format])) as FileExplanation;
        const becomes = whole.columns.find((column) => column.name === name)?.becomes ?? null;
        // Some columns have a substitute.
        const isMissed = becomes !== null && !found.columns.some((column) => column.becomes === becomes);
        if (isMissed) expect(found.missing.length).toBeGreaterThan(whole.missing.length);
      }
    }
  });

  it('is not recognized in an unknown language', async () => {
    const found = await explain(withHeader(samples[format], (_, index) => `sarake ${index}`));
    expect(found).toMatch(/^file: unrecognized format: its columns are sarake 0, .*\nOther tables need a mapping file/);
  });
});
