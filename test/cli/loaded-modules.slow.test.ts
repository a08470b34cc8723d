import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commands } from '../../src/cli/commands';
import { useTestDatabase } from '../support/test-database';
import { buildCatalog, createCatalog, type Finished } from './run-catalog';

const file = join(mkdtempSync(join(tmpdir(), 'loaded-modules-')), 'packages.json');
const test = useTestDatabase();

beforeAll(buildCatalog);

/** Runs a command and lists the packages that its process had loaded when it ended. */
async function run(...words: readonly string[]): Promise<Finished & { readonly packages: readonly string[] }> {
  const settings = { NODE_OPTIONS: `--require ${join(__dirname, 'list-modules.cjs')}`, LOADED_MODULES: file };
  const finished = await createCatalog(test.url, settings)(...words);
  return { ...finished, packages: JSON.parse(readFileSync(file, 'utf8')) as string[] };
}

it.each(['--version', '--help', ...commands.map(({ name }) => `${name} --help`)])(
  'loads only the command-line parser for %s',
  async (line) => {
    const { exitCode, packages } = await run(...line.split(' '));
    expect([exitCode, packages]).toEqual([0, ['commander']]);
  },
);

it.each([
  [['nonsense']],
  [['key']],
  [['key', 'list']],
  [['shop', 'create', '--domain', '/']],
  [['pull', 'shopify', '--nonsense']],
])('loads only the parser and the masking of messages for the wrong usage %j', async (words) => {
  const { exitCode, packages } = await run(...words);
  expect([exitCode, packages]).toEqual([2, ['commander', 'tlds']]);
});

it('lists shops without GraphQL, a server or Prisma’s query engine, and without messages about the database', async () => {
  const { exitCode, stderr, packages } = await run('shop', 'list');
  expect([exitCode, stderr]).toEqual([0, '']);
  for (const name of [
    'express',
    '@apollo/server',
    '@graphql-tools/utils',
    'rate-limiter-flexible',
    'jsonwebtoken',
    'yaml',
  ])
    expect(packages).not.toContain(name);
});
