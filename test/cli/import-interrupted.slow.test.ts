import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importApplicationName } from '../../src/ingest/write/import-transaction';
import { compiledBefore } from '../support/compiled-before';
import { seedShop } from '../support/seed';
import { useTestDatabase } from '../support/test-database';
import { buildCatalog } from './run-catalog';

const root = join(__dirname, '../..');
const dataDirectory = mkdtempSync(join(tmpdir(), 'catalog-interrupted-'));

const test = useTestDatabase();
beforeAll(buildCatalog);
afterAll(() => rmSync(dataDirectory, { recursive: true, force: true }));

const product = (id: number): string =>
  `{"type":"product","external_id":"${id}","title":"A","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}\n`;

/** Whether the import, in its own transaction, has written the first batch. */
async function isWriting(): Promise<boolean> {
  const rows = await test.sql<{ count: string }>(
    `SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database() AND xact_start IS NOT NULL`,
    [importApplicationName],
  );
  return rows[0]?.count !== '0';
}

const message = 'Interrupted: nothing was imported.';

it.each([
  ['SIGINT', 130, [], `${message}\n`],
  ['SIGTERM', 143, ['--json'], `${JSON.stringify({ error: { code: 'INTERRUPTED', message } })}\n`],
] as const)('an import that is interrupted by %s says that nothing was written, and ends with %d', async (signal, code, options, said) => {
  // The server may still run the last statement of the import before.
  while (await isWriting());
  const domain = `${signal.toLowerCase()}.example`;
  const id = await seedShop(test.sql, { domain, name: null, currency: null });
  const words = ['import', '-', '--shop', domain, ...options];
  const child = spawn(process.execPath, [join(root, 'dist/src/cli/main.js'), ...words], {
    env: { PATH: process.env['PATH'], ...compiledBefore, DATABASE_URL: test.url, DATA_DIR: dataDirectory },
    cwd: root,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  // The process ends while it is still being written to.
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close');
  for (let line = 0; line < 10_000; line += 1) child.stdin.write(product(line));
  while (!(await isWriting())) if (child.exitCode !== null) throw new Error(stderr);
  child.kill(signal);
  expect(await ended).toEqual([code, null]);
  expect({ stdout, stderr }).toEqual({
    stdout: '',
    stderr: said,
  });
  expect(await test.sql('SELECT id FROM products WHERE shop_id = $1', [id])).toEqual([]);
}); // prettier-ignore
