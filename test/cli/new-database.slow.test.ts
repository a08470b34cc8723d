import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createEmptyDatabase, dropDatabase } from '../support/test-database';
import { buildCatalog, createCatalog } from './run-catalog';

const root = join(__dirname, '../..');
beforeAll(buildCatalog);

const makePlace = (): string => {
  const place = mkdtempSync(join(tmpdir(), 'catalog-place-'));
  chmodSync(place, 0o755);
  return place;
};

const needDatabase = [
  ['shop', 'list'],
  ['shop', 'set', 'a.example', '--plan', 'business'],
  ['import', 'docs/examples/products_export.csv', '--shop', 'a.example'],
  ['key', 'create', '--shop', 'a.example', '--scope', 'catalog:read'],
  ['key', 'list', '--shop', 'a.example'],
  ['key', 'revoke', 'ck_a'],
  ['key', 'rotate', 'ck_a'],
];

describe('without a database', () => {
  it.each(needDatabase.map((words) => [words.join(' '), words] as const))(
    '`catalog %s` reports it with the settings, and creates nothing',
    async (_, words) => {
      const place = join(makePlace(), 'mistyped');
      const { exitCode, stdout, stderr } = await createCatalog('', { DATA_DIR: place })(...words);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toMatch(/^There is no database in \S+mistyped\. Set DATA_DIR to .*, or DATABASE_URL .*\n$/);
      expect(existsSync(place)).toBe(false);
    },
  );

  it.each([['in text'], ['as JSON', '--json']])(
    'names the setting that was misspelled, once, %s',
    async (_, ...flags) => {
      const misspelled = { DATA_DIR: join(makePlace(), 'none'), DATABSE_URL: 'postgresql://localhost/catalog' };
      const { stderr } = await createCatalog('', misspelled)('shop', 'list', ...flags);
      expect(stderr.split('DATABSE_URL is not a setting and has no effect. Did you mean DATABASE_URL?')).toHaveLength(
        2,
      );
    },
  );

  it('a command that creates one reports where', async () => {
    const place = join(makePlace(), 'new');
    const catalog = createCatalog('', { DATA_DIR: place });
    const made = await catalog('shop', 'create', '--domain', 'a.example', '--json');
    expect(made.exitCode).toBe(0);
    expect(made.stderr).toBe(`creating a new database in ${place}\n`);
    const again = await catalog('shop', 'create', '--domain', 'b.example', '--json');
    expect(again).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse((await catalog('shop', 'list', '--json')).stdout)).toHaveLength(2);
  });

  const hasScript = process.platform === 'linux' && existsSync('/usr/bin/script');
  if (!hasScript) console.warn('Not run: questions at a terminal, because script(1) is not installed.');
  (hasScript ? it : it.skip).each([
    ['Enter', '\n'],
    ['Ctrl-C', '\x03'],
    ['Ctrl-D', '\x04'],
  ])('asks on a terminal first, and takes %s for no', async (_, key) => {
    const place = join(makePlace(), 'mistyped');
    const child = spawn(
      'script',
      ['-qec', `${process.execPath} ${join(root, 'dist/src/cli/main.js')} shop create --domain a.example`, '/dev/null'],
      { env: { PATH: process.env['PATH'], DATA_DIR: place }, stdio: ['pipe', 'pipe', 'ignore'] },
    );
    let shown = '';
    let isAnswered = false;
    child.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
      // Cursor movements may follow it, in the same chunk or the next.
      if (isAnswered || !shown.includes('[y/N] ')) return;
      isAnswered = true;
      child.stdin.write(key);
    });
    const [code] = (await once(child, 'close')) as [number];
    expect(shown).toContain(`There is no database in ${place} yet. Create one there?`);
    expect(shown).toContain('Nothing was created.');
    expect({ code, made: existsSync(place) }).toEqual({ code: 1, made: false });
  });

  it('a database of DATABASE_URL without our tables is not changed by commands that read', async () => {
    const url = await createEmptyDatabase();
    try {
      const { exitCode, stderr } = await createCatalog(url)('shop', 'list');
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: expect.stringMatching(
          /^The database \S+ on \S+ does not have the tables of the service: set DATABASE_URL/,
        ) as string,
      });
      expect((await createCatalog(url)('migrate')).exitCode).toBe(0);
      expect((await createCatalog(url)('shop', 'list')).exitCode).toBe(0);
    } finally {
      await dropDatabase(url);
    }
  });
});

it('reads files relative to where `npm run catalog` was run', async () => {
  const place = makePlace();
  mkdirSync(join(place, 'below'));
  writeFileSync(join(place, 'below/own.graphql'), 'type Query { own: Int }');
  const words = ['subgraph', 'check', 'own=own.graphql', '--json'];
  const environment = { PATH: process.env['PATH'], npm_lifecycle_event: 'catalog', INIT_CWD: join(place, 'below') };
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [join(root, 'dist/src/cli/main.js'), ...words], {
    cwd: root,
    env: environment,
  });
  expect(JSON.parse(stdout)).toMatchObject({ subgraph: 'own', fits: true });
  // Settings still resolve paths from the directory that npm was called in.
  const list = run(process.execPath, [join(root, 'dist/src/cli/main.js'), 'shop', 'list'], {
    cwd: place,
    env: { ...environment, DATA_DIR: 'data' },
  });
  await expect(list).rejects.toMatchObject({ stderr: expect.stringContaining(join(place, 'data.')) as string });
  expect(readdirSync(place)).toEqual(['below']);
});
