import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buildCatalog, createCatalog } from '../cli/run-catalog';
import { compiledBefore } from '../support/compiled-before';
import { seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { createTestDatabase, useTestDatabase } from '../support/test-database';

let catalog: ReturnType<typeof createCatalog>;
const database = useTestDatabase();
beforeAll(() => {
  buildCatalog();
  catalog = createCatalog(database.url);
});

async function seed(domain: string): Promise<void> {
  const { sql } = database;
  const shop = await seedShop(sql, { domain, last_sync_at: '2026-02-01T00:00:00Z' });
  for (const day of [1, 2, 3]) {
    const product = await seedProduct(sql, shop, { created_at: `2026-01-0${day}T00:00:00Z` });
    for (let position = 1; position < day; position += 1) await seedVariant(sql, shop, product, { position });
  }
  await seedCollection(sql, shop);
  await seedOrder(sql, shop);
}

const write = (content: string): string => {
  const file = join(mkdtempSync(join(tmpdir(), 'catalog-export-')), 'shop.ndjson');
  writeFileSync(file, content);
  return file;
};

describe('catalog export', () => {
  it('is imported into another database with its ids by --keep-ids', async () => {
    await seed('kept.example');
    const { exitCode, stdout, stderr } = await catalog('export', '--shop', 'kept.example');
    expect([exitCode, stderr]).toEqual([0, '']);
    const elsewhere = await createTestDatabase();
    try {
      const there = createCatalog(elsewhere.url);
      await there('shop', 'create', '--domain', 'kept.example');
      expect((await there('import', write(stdout), '--shop', 'kept.example', '--keep-ids')).exitCode).toBe(0);
      const again = await there('export', '--shop', 'kept.example');
      const withoutShopLine = (ndjson: string) => ndjson.slice(ndjson.indexOf('\n'));
      expect(withoutShopLine(again.stdout)).toBe(withoutShopLine(stdout));
    } finally {
      await elsewhere.drop();
    }
  });

  it('names a product that an import would refuse, because another writer made it too large', async () => {
    const { sql } = database;
    const shop = await seedShop(sql, { domain: 'heavy.example' });
    await seedProduct(sql, shop);
    const product = await seedProduct(sql, shop);
    const options = [{ name: 'Text', value: 'x'.repeat(60_000) }];
    for (let position = 1; position <= 150; position += 1)
      await seedVariant(sql, shop, product, { position, title: String(position), options });
    const { exitCode, stdout, stderr } = await catalog('export', '--shop', 'heavy.example');
    expect([exitCode, stderr]).toEqual([
      0,
      `Products that \`catalog import\` will refuse, because they have more than 8388608 bytes with their variants: 1, the first is ${product}.\n`,
    ]);
    const imported = await catalog('import', write(stdout), '--shop', 'heavy.example', '--dry-run');
    expect(imported.exitCode).toBe(1);
    expect(imported.stderr).toContain('expected at most 8388608 bytes for a product and its variants');
  });

  it('refuses a shop and types that it does not know', async () => {
    const missing = await catalog('export', '--shop', 'missing.example');
    expect([missing.exitCode, missing.stdout]).toEqual([1, '']);
    expect(missing.stderr).toContain('missing.example');
    expect((await catalog('export', '--shop', 'x.example', '--types', 'variants')).exitCode).toBe(2);
  });
});

const program = join(__dirname, '../../dist/src/cli/main.js');

const environment = () => ({
  ...compiledBefore,
  PATH: process.env['PATH'] ?? '',
  DATABASE_URL: database.url,
  DATA_DIR: mkdtempSync(join(tmpdir(), 'catalog-cli-')),
});

/** The rest of a stream as text. */
async function readRest(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

const untilNothingRuns = async (): Promise<void> => {
  const running = `SELECT pid FROM pg_stat_activity WHERE application_name = 'catalog export' AND datname = current_database()`;
  while ((await database.sql(running)).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
};

describe('catalog export that is ended', () => {
  beforeAll(async () => {
    const shop = await seedShop(database.sql, { domain: 'large.example' });
    // More than fits into the buffers between PostgreSQL and a reader that is waiting.
    await database.sql(
      `INSERT INTO products (shop_id, external_id, title, description_html, created_at, updated_at)
       SELECT $1, n::text, 'Product ' || n, repeat(md5(n::text), 600), now(), now() FROM generate_series(1, 3000) AS n`,
      [shop],
    );
  });
  afterEach(untilNothingRuns);

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('by %s exits with %i, without its last line', async (signal, exitCode) => {
    const child = spawn(process.execPath, [program, 'export', '--shop', 'large.example'], { env: environment() });
    const exited = once(child, 'exit');
    const errors = readRest(child.stderr);
    await once(child.stdout, 'readable');
    child.kill(signal);
    expect(await exited).toEqual([exitCode, null]);
    expect(await readRest(child.stdout)).not.toContain('"type":"complete"');
    expect(await errors).toBe('');
  });

  it.each([
    ['the first line', 'head -n 1'],
    ['nothing', 'true'],
    ['a megabyte', 'head -c 1000000'],
  ])('by a reader that stops after %s reports nothing', (_, reader) => {
    const line = `"$0" "$1" export --shop large.example | ${reader} > /dev/null; echo "\${PIPESTATUS[*]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', line, process.execPath, program], {
      ...{ env: environment(), encoding: 'utf8' },
    });
    expect([stdout.trim(), stderr]).toEqual(['0 0', '']);
  });

  it('by a full disk says so, also as JSON', async () => {
    const runWith = (words: string) =>
      spawnSync('bash', ['--norc', '-c', `"$0" "$1" ${words} > /dev/full`, process.execPath, program], {
        ...{ env: environment(), encoding: 'utf8' },
      });
    const { status, stderr } = runWith('export --shop large.example');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Cannot write to standard output: .*no space left on device.*\n$/);
    const asJson = runWith('shop list --json');
    expect(asJson.status).toBe(1);
    expect(JSON.parse(asJson.stderr)).toEqual({
      error: { code: 'OUTPUT_FAILED', message: expect.stringContaining('no space left on device') as string },
    });
    await untilNothingRuns();
  });
});

const terminalMissing =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true
    ? undefined
    : 'script of util-linux is not installed';
if (terminalMissing !== undefined) console.log(`Commands on a terminal are not tried: ${terminalMissing}.`);

(terminalMissing === undefined ? describe : describe.skip)('on a terminal', () => {
  /** Starts a shell command on a separate terminal. */
  const onTerminal = (line: string): ChildProcess =>
    spawn('script', ['-qec', line, '/dev/null'], { env: { ...environment(), SHELL: '/bin/sh', TERM: 'xterm' } });

  const hidesCursor = '\u001b[?25l';

  it('its progress is on standard error, and Ctrl-C ends the export', async () => {
    const pipe = join(mkdtempSync(join(tmpdir(), 'catalog-export-')), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const child = onTerminal(`exec ${process.execPath} ${program} export --shop large.example > ${pipe}`);
    const exited = once(child, 'exit');
    let shown = '';
    child.stdout?.on('data', (chunk) => (shown += String(chunk)));
    const lines = createReadStream(pipe, { highWaterMark: 1024 });
    let read = '';
    const aProduct = (): boolean => /^\{"type":"shop".*\n\{"type":"product"/.test(read);
    while (!aProduct()) {
      if (lines.readableLength === 0) await once(lines, 'readable');
      read += String(lines.read() ?? '');
    }
    // the rest is unread and larger than the pipe, so the export is still in progress
    while (!shown.includes('exporting')) await once(child.stdout as Readable, 'data');
    child.stdin?.write('\u0003');
    await readRest(lines);
    expect(await exited).toEqual([130, null]);
    expect(shown).not.toContain(hidesCursor);
    expect(shown).not.toMatch(/Error| at /);
    await untilNothingRuns();
  });
});
