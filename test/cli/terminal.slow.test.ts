import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseName } from '../../src/cli/option-values';
import { textTable } from '../../src/cli/text-table';
import { projectRoot } from '../../src/common/project-root';
import { toTerminalText } from '../../src/common/terminal';
import { fc } from '../support/properties';
import { useTestDatabase } from '../support/test-database';
import { buildCatalog, createCatalog } from './run-catalog';

const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCharCode(from + index));
/**
 * What must never reach a terminal from other people's text: C0, C1, separators, and marks that reverse the reading
 * direction.
 */
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

describe('the filter of standard output and standard error', () => {
  it('escapes every control character, and leaves all other text unchanged', () => {
    for (const control of controls) {
      expect(toTerminalText(`a${control}b`)).toBe(`a\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}b`);
    }
    const text = 'Zoë 👩‍👩‍👧 متجر\u200f שלום 日本 \\u001b\t–\n';
    expect(toTerminalText(text)).toBe(text);
  });

  it('keeps the meaning of JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...controls), (value, control) => {
        const document = { [`a${control}`]: [value, control] };
        const text = toTerminalText(JSON.stringify(document));
        expect(text).not.toMatch(dangerous);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)));
      }),
    );
  });

  it('is the only code that writes to them', () => {
    const sources = readdirSync(join(projectRoot, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name));
    const direct = sources
      .filter((file) =>
        /process\.std(?:out|err)\.write|console\.(?:log|error|warn|info)/.test(readFileSync(file, 'utf8')),
      )
      .map((file) => relative(projectRoot, file));
    expect(direct).toEqual(['src/common/terminal.ts']);
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

const shop = ['--shop', 'nasty.example', '--dry-run'];

function file(directory: string, name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

/** One product of a snapshot, with additional members. */
const productWith = (members: object): string =>
  `${JSON.stringify({ type: 'product', external_id: '1', title: 'Mug', handle: 'mug', ...members })}\n`;

describe('foreign text in the output of commands', () => {
  let catalog: ReturnType<typeof createCatalog>;
  const database = useTestDatabase();
  const all = [...controls, ...lineBreaks].join('').replace('\0', '');
  /** A file name may contain any UTF-8 except `/` and NUL. */
  const nasty = `a${all}b`;

  beforeAll(async () => {
    buildCatalog();
    catalog = createCatalog(database.url);
    await catalog('shop', 'create', '--domain', 'nasty.example');
    await catalog('key', 'create', '--shop', 'nasty.example', '--scope', 'catalog:read', '--name', 'plain');
    // As another program might write them.
    await database.sql('UPDATE shops SET name = $1, platform = $1', [nasty]);
    await database.sql('UPDATE api_keys SET name = $1', [nasty]);
  });

  /** Text from elsewhere is part of a line and never starts a line of its own, which could pass for one of ours. */
  const expectSameLines = async (toWords: (name: string) => readonly string[]): Promise<void> => {
    const [plain, hostile] = [await catalog(...toWords('plain')), await catalog(...toWords(nasty))];
    const lines = ({ stdout, stderr }: typeof plain): number[] =>
      [stdout, stderr].map((text) => text.split('\n').length);
    expect([hostile.exitCode, ...lines(hostile)]).toEqual([plain.exitCode, ...lines(plain)]);
  };

  /** A line break in an argument is refused before anything repeats the argument. */
  const expectRefusal = async (...words: readonly string[]): Promise<void> => {
    const { exitCode, stdout, stderr } = await catalog(...words);
    expect([exitCode, stdout, stderr.split('\n').length]).toEqual([2, '', 2]);
    expect(stderr).toMatch(
      /^Invalid usage: expected arguments without line breaks, got ".*\\n.*": if this is a file name, rename the file/,
    );
    expectHarmless({ stdout, stderr });
  };

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
    const word = nasty.replace('\n', '');
    const csv = join(directory, `${word}.csv`);
    writeFileSync(csv, `"Handle","Title","${nasty}"\nmug,Mug,x\n`);
    const json = join(directory, `${word}.jsonl`);
    writeFileSync(json, `{"type":"${nasty.replaceAll(/\p{Cc}/gu, '')}"}\n`);
    for (const words of [
      ['import', '--shop', 'nasty.example', '--explain', csv],
      ['import', '--shop', 'nasty.example', csv],
      ['import', '--shop', 'nasty.example', json],
      ['import', '--shop', 'nasty.example', '--map', word, csv],
      ['import', '--shop', word, csv],
      ['import', '--shop', 'nasty.example', `${csv}.missing`],
      ['shop', 'set', word, '--plan', 'free'],
      ['shop', 'list', `--${word}`],
      [word],
      ['key', 'revoke', word],
      ['gateway', '--supergraph', join(directory, word)],
      ['subgraph', 'check', join(directory, word)],
    ])
      expectHarmless(await catalog(...words));
  });

  it.each<[string, (name: string, directory: string) => readonly string[]]>([
    ['a column, explained', (name, in_) => ['--explain', file(in_, 'a.csv', `Handle,Title,"${name}"\nmug,Mug,x\n`)]],
    ['a column, imported', (name, in_) => [...shop, file(in_, 'a.csv', `Handle,Title,"${name}"\nmug,Mug,x\n`)]],
    ['a value', (name, in_) => ['--explain', file(in_, 'a.csv', `Handle,Title\nmug,"${name}"\n`)]],
    [
      'a value that is refused',
      (name, in_) => [...shop, file(in_, 'a.csv', `Handle,Title,Status\nmug,Mug,"${name}"\n`)],
    ],
    ['a member', (name, in_) => [...shop, file(in_, 'a.jsonl', productWith({ [name]: 1 }))]],
    ['a member, explained', (name, in_) => ['--explain', file(in_, 'a.jsonl', productWith({ [name]: 1 }))]],
    [
      'members that are refused',
      (name, in_) => [
        ...shop,
        file(in_, 'a.jsonl', productWith({ options: [{ [name]: 1 }, name], status: name, title: 5 })),
      ],
    ],
    [
      'a member of a map',
      (name, in_) => [
        ...shop,
        '--map',
        file(in_, 'm.yaml', `${JSON.stringify(name)}: 1\n`),
        file(in_, 'a.csv', 'a\n1\n'),
      ],
    ],
    [
      'a shop in a file',
      (name, in_) => [...shop, file(in_, 'a.jsonl', `${JSON.stringify({ type: 'shop', domain: name })}\n`)],
    ],
  ])('makes no line of its own: %s', async (_, toWords) => {
    const directory = mkdtempSync(join(tmpdir(), 'terminal-'));
    await expectSameLines((name) => ['import', ...toWords(name, directory)]);
  });

  it('does not begin a line of its own: a command-line argument', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'terminal-'));
    const csv = file(directory, `${nasty}.csv`, 'Handle,Title\nmug,Mug\n');
    for (const words of [
      ['import', '--explain', csv],
      ['import', ...shop, '--map', `${nasty}.yaml`, csv],
      ['shop', 'set', nasty, '--plan', 'free'],
      ['shop', 'list', `--${nasty}`],
      [`a\nb`],
    ])
      await expectRefusal(...words);
  });

  it('is verbatim for programs: an export', async () => {
    const { stdout } = await catalog('export', '--shop', 'nasty.example');
    expect((JSON.parse(stdout.split('\n')[0] as string) as { name: string }).name).toBe(nasty);
  });
});
