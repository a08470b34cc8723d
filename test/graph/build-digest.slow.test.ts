import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readBuildDigest } from '../../src/common/build-digest';
import { buildCatalog } from '../cli/run-catalog';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedProduct, seedShop } from '../support/seed';
import { useTestDatabase } from '../support/test-database';
import { testSecrets } from '../support/test-signing-keys';

const root = join(__dirname, '../..');
const copied = [
  'dist',
  'rest',
  'prisma/migrations',
  'prisma/functions',
  'package.json',
  'package-lock.json',
  'schema.graphql',
];
const copies: string[] = [];

/** A copy of the program in a separate directory, with one file changed. */
function copyProgram(changed?: string, change = (text: string): string => `${text}\n`): string {
  const directory = mkdtempSync(join(tmpdir(), 'catalog-build-'));
  copies.push(directory);
  for (const path of copied) cpSync(join(root, path), join(directory, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  if (changed !== undefined) {
    const file = join(directory, changed);
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, change(before));
    if (readFileSync(file, 'utf8') === before) throw new Error(`${changed} is as it was`);
  }
  return directory;
}

/** The digest while one of the files is changed. */
function digestWith(directory: string, changed: string): string {
  const file = join(directory, changed);
  const before = readFileSync(file, 'utf8');
  writeFileSync(file, `${before}\n`);
  try {
    return digestOf(directory);
  } finally {
    writeFileSync(file, before);
  }
}

const digestOf = (directory: string): string =>
  execFileSync(process.execPath, ['-p', 'require("./dist/src/common/build-digest.js").readBuildDigest()'], {
    cwd: directory,
    encoding: 'utf8',
  }).trim();

beforeAll(buildCatalog);
afterAll(() => copies.forEach((directory) => rmSync(directory, { recursive: true })));

describe('the digest of the build (docs/decisions.md 8)', () => {
  let ours: string;
  let copy: string;
  beforeAll(() => {
    ours = digestOf(root);
    copy = copyProgram();
  });

  it('is the same wherever the same build runs, and known without one', () => {
    expect(digestOf(copy)).toBe(ours);
    expect(readBuildDigest()).toMatch(/^[0-9a-f]{64}$/);
    expect(readBuildDigest()).not.toBe(ours);
  });

  it.each([
    'dist/src/catalog/rows/shop-tables.js',
    'dist/rest/operation.js',
    'package-lock.json',
    'schema.graphql',
    'prisma/migrations/20261125001000_objects/migration.sql',
    'prisma/functions/3_derived.sql',
  ])('changes with %s', (file) => {
    expect(digestWith(copy, file)).not.toBe(ours);
  });

  it.each(['dist/src/app.js.map', 'package.json'])('does not change with %s, which has no effect', (file) => {
    expect(digestWith(copy, file)).toBe(ours);
  });
});

describe('a deploy', () => {
  let apiKey: string;
  const database = useTestDatabase();
  beforeAll(async () => {
    const shopId = await seedShop(database.sql);
    ({ apiKey } = await seedApiKey(database.sql, shopId));
    for (const title of ['Mug', 'Cup', 'Jug']) await seedProduct(database.sql, shopId, { title });
  });

  /**
   * The responses of a process of this program to the first page, to the next, and to the first with an earlier entity
   * tag.
   */
  async function ask(directory: string, cursor?: string, etag?: string) {
    const child = spawn(process.execPath, ['dist/src/main.js'], {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: database.url,
        ...testSecrets,
        PORT: '0',
        SHUTDOWN_DELAY_MS: '0',
        LOG_LEVEL: 'warn',
      },
    });
    try {
      const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
      const origin = /listening on (http:[^\s"]+)/.exec(line)?.[1] ?? line;
      const get = (path: string, headers: Record<string, string> = {}) =>
        exchange(origin, `/v1/products?limit=2${path}`, { headers: { Authorization: `Bearer ${apiKey}`, ...headers } });
      const first = await get('');
      const { next_cursor } = first.body as { next_cursor: string };
      const next = await get(`&cursor=${cursor ?? next_cursor}`);
      const conditional = await get('', { 'If-None-Match': etag ?? '' });
      return {
        etag: String(first.headers['etag']),
        cursor: next_cursor,
        text: first.text,
        statuses: [first.status, next.status, conditional.status],
      };
    } finally {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  }

  it('of the same build keeps entity tags; one that maps otherwise changes them, and no cursor', async () => {
    const before = await ask(copyProgram());
    const same = await ask(copyProgram(), before.cursor, before.etag);
    expect(same).toEqual({ ...before, statuses: [200, 200, 304] });

    const mapping = copyProgram('dist/rest/operation.js', (text) => text.replace('has_more:', 'is_more:'));
    const changed = await ask(mapping, before.cursor, before.etag);
    expect(changed.text).toBe(before.text.replace('has_more', 'is_more'));
    expect(changed).toMatchObject({ cursor: before.cursor, statuses: [200, 200, 200] });
    expect(changed.etag).not.toBe(before.etag);
  });
});
