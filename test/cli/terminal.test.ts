import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseName } from '../../src/cli/option-values';
import { textTable } from '../../src/cli/text-table';
import { projectRoot } from '../../src/project-root';
import { toTerminalText } from '../../src/terminal';
import { fc } from '../support/properties';
import { createTestDatabase } from '../support/test-database';
import { buildCatalog, createCatalog } from './run-catalog';

const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCharCode(from + index));
/** What must never reach a terminal from text of others: C0, C1, separators, marks that reverse what is read. */
const controls = [
  ...range(0, 8),
  ...range(0x0b, 0x1f),
  ...range(0x7f, 0x9f),
  '\u2028',
  '\u2029',
  ...range(0x202a, 0x202e),
  ...range(0x2066, 0x2069),
];
const lineBreaks = ['\t', '\n'];
const dangerous = new RegExp(
  `[${controls.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}]`,
);

describe('the gate of standard output and standard error', () => {
  it('spells every control character as an escape, and leaves all other text as it is', () => {
    for (const control of controls) {
      expect(toTerminalText(`a${control}b`)).toBe(`a\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}b`);
    }
    const text = 'Zoë 👩‍👩‍👧 متجر\u200f שלום 日本 \\u001b\t–\n';
    expect(toTerminalText(text)).toBe(text);
  });

  it('leaves JSON the same document', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...controls), (value, control) => {
        const document = { [`a${control}`]: [value, control] };
        const text = toTerminalText(JSON.stringify(document));
        expect(text).not.toMatch(dangerous);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)));
      }),
    );
  });

  it('is the only way to them', () => {
    const sources = readdirSync(join(projectRoot, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name));
    const direct = sources
      .filter((file) =>
        /process\.std(?:out|err)\.write|console\.(?:log|error|warn|info)/.test(readFileSync(file, 'utf8')),
      )
      .map((file) => relative(projectRoot, file));
    expect(direct).toEqual([]);
  });
});

it('a cell of a table is one line, whatever is in it', () => {
  for (const control of [...controls, ...lineBreaks]) {
    const lines = textTable(['NAME', 'ID'], [[`a${control}b`, '1']]).split('\n');
    expect(lines).toHaveLength(2);
    expect(lines.join('')).not.toMatch(dangerous);
  }
});

it.each([...controls, ...lineBreaks].map((control) => [JSON.stringify(control), control]))(
  'a name with %s is refused',
  (_, control) => {
    expect(() => parseName(`shop${control}`)).toThrow(/Expected a name/);
  },
);

describe('text of others in the output of commands', () => {
  let catalog: ReturnType<typeof createCatalog>;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  const all = [...controls, ...lineBreaks].join('').replace('\0', '');
  /** File names can have all but `/` and NUL; in UTF-8. */
  const nasty = `a${all}b`;

  beforeAll(async () => {
    buildCatalog();
    database = await createTestDatabase();
    catalog = createCatalog(database.url);
    await catalog('shop', 'create', '--domain', 'nasty.example');
    await catalog('key', 'create', '--shop', 'nasty.example', '--scope', 'catalog:read', '--name', 'plain');
    // As another program may write them.
    await database.sql('UPDATE shops SET name = $1, platform = $1', [nasty]);
    await database.sql('UPDATE api_keys SET name = $1', [nasty]);
  });
  afterAll(() => database.drop());

  const expectHarmless = ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): void => {
    expect(JSON.stringify([stdout, stderr].map((text) => dangerous.exec(text)?.[0]))).toBe('[null,null]');
  };

  it('is harmless: names of shops and keys', async () => {
    for (const line of [
      ['shop', 'list'],
      ['key', 'list', '--shop', 'nasty.example'],
      ['key', 'list', '--shop', 'nasty.example', '--json'],
      ['shop', 'list', '--json'],
    ]) {
      const result = await catalog(...line);
      expectHarmless(result);
      expect(result.stdout).toContain('\\u001b');
    }
    const [shop] = JSON.parse((await catalog('shop', 'list', '--json')).stdout) as [{ name: string }];
    expect(shop.name).toBe(nasty);
  });

  it('is harmless: names of files, of columns and of maps, options and words', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'terminal-'));
    const csv = join(directory, `${nasty}.csv`);
    writeFileSync(csv, `"Handle","Title","${nasty}"\nmug,Mug,x\n`);
    const json = join(directory, `${nasty}.jsonl`);
    writeFileSync(json, `{"type":"${nasty.replaceAll(/\p{Cc}/gu, '')}"}\n`);
    for (const words of [
      ['import', '--shop', 'nasty.example', '--explain', csv],
      ['import', '--shop', 'nasty.example', csv],
      ['import', '--shop', 'nasty.example', json],
      ['import', '--shop', 'nasty.example', '--map', nasty, csv],
      ['import', '--shop', nasty, csv],
      ['import', '--shop', 'nasty.example', `${csv}.missing`],
      ['shop', 'set', nasty, '--plan', 'free'],
      ['shop', 'list', `--${nasty}`],
      [nasty],
      ['key', 'revoke', nasty],
      ['gateway', '--supergraph', join(directory, nasty)],
      ['subgraph', 'check', join(directory, nasty)],
    ])
      expectHarmless(await catalog(...words));
  });

  it('is exact for programs: an export', async () => {
    const { stdout } = await catalog('export', '--shop', 'nasty.example');
    expect((JSON.parse(stdout.split('\n')[0] as string) as { name: string }).name).toBe(nasty);
  });
});
