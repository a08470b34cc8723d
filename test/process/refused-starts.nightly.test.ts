import { execFile, spawn, spawnSync, type ExecFileException } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { buildCatalog } from '../cli/run-catalog';
import { createCatalogSubgraph } from '../../src/federation/catalog/catalog-subgraph';
import { composeSubgraphs } from '../../src/federation/supergraph/compose-subgraphs';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
import { testSecrets } from '../support/test-signing-keys';
import { compiledBefore } from '../support/compiled-before';

const root = join(__dirname, '../..');
const directory = mkdtempSync(join(tmpdir(), 'catalog-refused-'));
const supergraph = join(directory, 'supergraph.graphql');
const other = join(directory, 'other.graphql');

let database: TestDatabase;
let holder: Server;
let taken: number;

beforeAll(async () => {
  buildCatalog();
  const catalog = { name: 'catalog', url: 'https://catalog.test/subgraph', sdl: createCatalogSubgraph().sdl };
  writeFileSync(supergraph, composeSubgraphs([catalog]));
  writeFileSync(other, 'type Query { nothing: Int }');
  database = await createTestDatabase();
  holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  taken = (holder.address() as AddressInfo).port;
});
afterAll(async () => {
  holder.close();
  await database.drop();
});

/** Runs it until it exits, as it must: a process that serves is killed. */
async function run(words: readonly string[], settings: Readonly<Record<string, string>>) {
  const { code, stdout, stderr } = await promisify(execFile)(process.execPath, words, {
    cwd: root,
    timeout: 60_000,
    killSignal: 'SIGKILL',
    env: {
      PATH: process.env['PATH'],
      ...compiledBefore,
      PORT: '0',
      DATABASE_URL: database.url,
      DATA_DIR: join(directory, 'data'),
      ...testSecrets,
      // Lines at this level are not about the refusal.
      LOG_LEVEL: 'error',
      ...settings,
    },
  }).then(
    (output) => ({ code: 0, ...output }),
    (error: Required<ExecFileException>) => error,
  );
  return { code, stdout, stderr };
}

const main = ['dist/src/main.js'];
const serve = ['dist/src/cli/main.js', 'serve'];
const workers = [...serve, '--workers', '2'];
const gateway = ['dist/src/cli/main.js', 'gateway', '--supergraph', supergraph];
const takenSentence = (names: string) =>
  `Port ${taken} on 127.0.0.1 is already in use. Stop the program that uses it, or choose another port with ${names} (0 picks a free one).\n`;

describe('a port that is taken ends the start with one sentence', () => {
  it.each([
    ['main', 'PORT', main],
    ['serve', 'PORT', serve],
    ['serve --workers', 'PORT', workers],
    ['main', 'METRICS_PORT', main],
    ['serve', 'METRICS_PORT', serve],
    ['serve --workers', 'METRICS_PORT', workers],
  ])('%s: %s', async (_, setting, words) => {
    const finished = await run(words, { [setting]: String(taken) });
    expect(finished).toEqual({ code: 1, stdout: '', stderr: takenSentence(setting) });
  });

  it('gateway', async () => {
    const finished = await run([...gateway, '--port', String(taken)], {});
    expect({ ...finished, stderr: finished.stderr.replace(/^using the supergraph in .*\n/, '') }).toEqual({
      code: 1,
      stdout: '',
      stderr: takenSentence('--port'),
    });
  });
});

const fullDisk = openSync('/dev/full', 'w');

it.each([
  ['main', main],
  ['serve', serve],
])('a full disk behind its output does not end %s', async (_, words) => {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  free.close();
  const env = { ...process.env, ...compiledBefore, PORT: String(port), DATABASE_URL: database.url, ...testSecrets };
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: ['ignore', fullDisk, fullDisk] });
  const ended = once(child, 'exit');
  const isAlive = () =>
    fetch(`http://127.0.0.1:${port}/livez`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (child.exitCode === null && !(await isAlive())) await delay(50);
  // What the process could not write has failed by the time that it has answered another hundred requests.
  for (let request = 0; request < 100; request += 1) expect(await isAlive()).toBe(true);
  child.kill('SIGTERM');
  await ended;
});

it('a full disk behind standard error does not change how a command ends', () => {
  const { status } = spawnSync(process.execPath, ['dist/src/cli/main.js', 'shop', 'frob'], {
    cwd: root,
    stdio: ['ignore', 'ignore', fullDisk],
  });
  expect(status).toBe(2);
});

it.each([
  ['main', main],
  ['serve', serve],
  ['serve --workers', workers],
])('an unknown host ends %s with one sentence', async (_, words) => {
  const { code, stdout, stderr } = await run(words, { HOST: 'nowhere.invalid' });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^Unknown host nowhere\.invalid\. Set HOST to an address of this machine .*\n$/);
});

it.each([
  ['main', main],
  ['serve', serve],
  ['serve --workers', workers],
])('a supergraph that cannot be used ends %s with one sentence', async (_, words) => {
  const { code, stdout, stderr } = await run(words, {
    SUPERGRAPH_FILE: other,
    REDIS_URL: 'redis://127.0.0.1:1',
    DATABASE_REPLICA_URLS: database.url,
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^SUPERGRAPH_FILE: .*\n$/);
});

it.each([
  ['main', main, 'warn'],
  ['serve --workers', workers, 'warn'],
] as const)(
  'an unavailable Redis costs %s one log line, without a stack, that describes the consequence',
  async (_, words, level) => {
    // The occupied port ends the start after Redis was tried.
    const { stderr } = await run(words, { REDIS_URL: 'redis://127.0.0.1:1', PORT: String(taken), LOG_LEVEL: level });
    const lines = stderr.split('\n').filter((line) => line.includes('Redis'));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({
        msg: 'Redis is unavailable; each process enforces its own rate limit until it is available',
        reason: expect.stringMatching(/ECONNREFUSED|not ready/) as string,
      });
    }
    expect(stderr).not.toMatch(/\bat .*[:(]|"stack"/);
  },
);

/** What may be in the way, by how it is created, with the name of DATA_DIR. */
const unusable: readonly (readonly [what: string, make: (base: string) => string])[] = [
  ...(process.platform === 'linux'
    ? ([
        ['of a file system that takes no directories', () => '/proc/nope'],
        ['some way below such a file system', () => '/proc/nope/a/b'],
        ['a device', () => '/dev/null'],
        ['below a device', () => '/dev/null/a'],
      ] as const)
    : []),
  ['a name that is too long', (base) => join(base, 'x'.repeat(300))],
  ['a file', (base) => (writeFileSync(join(base, 'file'), ''), join(base, 'file'))],
  ['below a file', (base) => (writeFileSync(join(base, 'file'), ''), join(base, 'file/a'))],
  ['a link that leads in a circle', (base) => (symlinkSync(join(base, 'a'), join(base, 'a')), join(base, 'a'))],
  ['a link to nothing', (base) => (symlinkSync('/proc/nope', join(base, 'a')), join(base, 'a'))],
  ...[
    'postgres/notes.txt',
    'postgres/cluster/notes.txt',
    'postgres/cluster/PG_VERSION',
    'postgres/cluster/catalog-password/notes.txt',
    'postgres',
    'postgres/cluster',
  ].map(
    (path) =>
      [
        `with ${path} of somebody else`,
        (base: string) => {
          mkdirSync(join(base, path, '..'), { recursive: true });
          writeFileSync(join(base, path), 'x');
          return base;
        },
      ] as const,
  ),
];

describe('a DATA_DIR that cannot be used ends the start with one sentence', () => {
  const migrate = ['dist/src/cli/main.js', 'migrate'];
  const some = unusable.filter(([what]) => /^(some way below|a file$|with postgres\/notes)/.test(what));
  it.each([
    ...unusable.map(([what, make]) => [what, 'the command line', migrate, make] as const),
    ...some.map(([what, make]) => [what, 'main', main, make] as const),
    ...some.map(([what, make]) => [what, 'serve --workers', workers, make] as const),
  ])('%s: %s', async (_what, _how, words, make) => {
    const { code, stdout, stderr } = await run(words, {
      DATABASE_URL: '',
      DATA_DIR: make(mkdtempSync(join(tmpdir(), 'catalog-refused-'))),
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^(creating a new database in .*\n)?(Invalid settings:\n {2}DATA_DIR: .*|.*[Ss]et DATA_DIR to (a|another) directory.*)\n$/,
    );
  });
});

describe.each(['cursor-secret', 'token-signing-keys.json', 'demo-api-key', 'demo-api-key.new'])(
  'a directory at the place of %s',
  (name) => {
    it('ends the start with one sentence', async () => {
      const base = mkdtempSync(join(tmpdir(), 'catalog-refused-'));
      mkdirSync(join(base, name, 'a'), { recursive: true });
      const { code, stdout, stderr } = await run(main, {
        DATA_DIR: base,
        CURSOR_SECRET: '',
        TOKEN_SIGNING_KEYS: '',
        ...(name.startsWith('demo') ? { DATABASE_URL: '' } : {}),
      });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^DATA_DIR .* cannot be used: .*directory.* Set DATA_DIR to .*\n$/);
    });
  },
);
