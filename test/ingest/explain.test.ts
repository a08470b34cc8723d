import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainFiles, type FileExplanation } from '../../src/ingest/explain-files';
import { formats } from '../../src/ingest/formats';
import { formatNames, type FormatName } from '../../src/ingest/formats/descriptions';
import { samples } from './format-samples';
import { readRows } from '../support/read-rows';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'explain-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function explain(content: string): Promise<FileExplanation> {
  const file = join(folder, 'file');
  await writeFile(file, content);
  const [explained] = await explainFiles({ files: [file], format: 'auto' });
  if (explained === undefined) throw new Error('expected a file to be explained');
  return explained;
}

const rowsOf = ({ columns }: FileExplanation): unknown[][] =>
  columns.map(({ name, becomes, example }) => [name, becomes, example]);

const tried = new Set<string>();

describe('what an import would read from a file', () => {
  it.each(readRows<[FormatName, content: string | null, row: unknown[]]>(__dirname, 'explained.json'))('explains %s', async (format, content, row) => {
    tried.add(format);
    const explained = await explain(content ?? samples[format]);
    expect(explained).toMatchObject({ format, recognizedBy: 'content' });
    expect(rowsOf(explained)).toContainEqual(row);
    for (const { becomes } of explained.columns) expect(becomes).not.toBe('');
  }); // prettier-ignore

  it('has a row above for every format', () => {
    expect(formatNames.filter((name) => !tried.has(name))).toEqual([]);
    expect(formats.map(({ name }) => name)).toEqual(formatNames);
  });

  it('is in docs/import.md: the first table has exactly the formats', () => {
    const text = readFileSync(join(__dirname, '../../docs/import.md'), 'utf8');
    const names = text.slice(text.indexOf('\n| '), text.indexOf('\n## ')).matchAll(/`([\w-]+)`/g);
    expect([...names].map(([, name]) => name).sort()).toEqual([...formatNames].sort());
  });

  it('masks addresses, and shortens long texts', async () => {
    const { columns } = await explain(`URL handle,Title,Price,a@b.example\nmug,${'x '.repeat(99)},1,to c@d.example\n`);
    expect(columns.map(({ name, example }) => `${name} ${example ?? ''}`).join('\n')).not.toMatch(/@[bd]\.example/);
    expect(columns[1]?.example).toHaveLength(61);
  });
});
