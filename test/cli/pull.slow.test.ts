import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlatformServer } from '../pull/platform-server';
import { startWooCommerce, wooKey, wooOrder, wooProduct, type WooShop } from '../pull/woocommerce-shop';
import { compiledBefore } from '../support/compiled-before';
import { seedShop } from '../support/seed';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { buildCatalog, createCatalog, toDocument } from './run-catalog';

const root = join(__dirname, '../..');
const directory = mkdtempSync(join(tmpdir(), 'catalog-pull-'));
const domain = 'pulled.example';
const credential = { WOOCOMMERCE_KEY: wooKey.key, WOOCOMMERCE_SECRET: wooKey.secret };

interface Report {
  readonly products: { readonly created: number; readonly updated: number; readonly unchanged: number };
  readonly orders: { readonly created: number; readonly unchanged: number };
}

let test: TestDatabase;
let shopId: string;
let woo: WooShop;
let server: PlatformServer;

beforeAll(async () => {
  buildCatalog();
  test = await createTestDatabase();
  shopId = await seedShop(test.sql, { domain, name: null, currency: null });
  woo = { products: [1, 2, 3].map((id) => wooProduct(id)), variations: new Map(), orders: [wooOrder(10)] };
  server = await startWooCommerce(woo);
});
afterAll(async () => {
  await server.close();
  await test.drop();
});

const words = (): string[] => ['pull', 'woocommerce', '--url', server.url.href, '--shop', domain, '--allow-private'];

it('reads a shop with a key in files, and changes nothing the second time', async () => {
  const fileWith = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const run = createCatalog(test.url, {
    WOOCOMMERCE_KEY_FILE: fileWith('key', `${wooKey.key}\n`),
    WOOCOMMERCE_SECRET_FILE: fileWith('secret', `${wooKey.secret}\n`),
  });
  const first = toDocument<Report>(await run(...words(), '--json'));
  expect([first.products.created, first.orders.created]).toEqual([3, 1]);
  const second = await run(...words());
  expect(second.stdout).toContain(`${domain} is up to date`);
  expect(second.stdout).toMatch(/products +3 +0 +0 +3/);
  expect(second.stderr).toBe('products: 3 of 3\norders: 1 of 1\n');
});

it.each([
  ['an unknown shop', ['--shop', 'unknown.example'], credential, 1, 'Shop unknown.example not found.'],
  ['no credential', [], {}, 2, "WOOCOMMERCE_SECRET_FILE: expected a WooCommerce REST API key"],
  ['a private address', ['--url', 'https://127.0.0.1'], credential, 1, 'pass --allow-private if the shop is hosted there'],
  ['--allow-removing without --replace', ['--allow-removing', '9%'], credential, 2, '--allow-removing requires --replace'],
  ['--since with --replace', ['--since', '1h', '--replace'], credential, 2, '--since and --replace are mutually exclusive'],
  ['an unknown type', ['--types', 'customers'], credential, 2, 'Expected a comma-separated list of products, orders.'],
  ['no time', ['--since', 'yesterday'], credential, 2, 'Expected a time such as 2026-01-31T12:00:00Z, or a duration'],
  ['a day that does not exist', ['--since', '2026-02-30T12:00:00Z'], credential, 2, 'Expected a time such as 2026-01-31T12:00:00Z'],
  ['a longer interval than timers support', ['--every', '30d'], credential, 2, 'longer than 0s and at most 21d'],
  ['a key in the address', ['--url', 'https://ck:cs@shop.example'], credential, 2, 'without a user name, password'],
] as const)('explains %s before it calls the platform', async (_, more, settings, exitCode, message) => {
  server.seen.length = 0;
  const line = ['pull', 'woocommerce', '--url', 'https://shop.example', '--shop', domain, ...more];
  const finished = await createCatalog(test.url, { ...settings })(...line);
  expect(finished).toMatchObject({ exitCode, stdout: '' });
  expect(finished.stderr).toContain(message);
  expect(finished.stderr).not.toContain('ck:cs');
  expect(server.seen).toEqual([]);
}); // prettier-ignore

/** Starts the command and forwards its output. */
function start(line: readonly string[]) {
  const child = spawn(process.execPath, [join(root, 'dist/src/cli/main.js'), ...line], {
    env: { PATH: process.env['PATH'], ...compiledBefore, DATABASE_URL: test.url, DATA_DIR: directory, ...credential },
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()));
  const ended = once(child, 'close');
  const until = async (isReached: () => boolean): Promise<void> => {
    while (!isReached()) {
      const outcome = await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), ended.then(() => 'ended')]); // prettier-ignore
      if (outcome === 'ended') throw new Error(said.stderr);
    }
  };
  return { child, said, ended, until };
}

it('repeats with --every, reports what fails on the way, and ends with a signal', async () => {
  const { child, said, ended, until } = start([...words(), '--every', '1s', '--json']);
  const reports = (): Report[] => said.stdout.split('\n').slice(0, -1).map((line) => JSON.parse(line) as Report); // prettier-ignore
  await until(() => reports().length === 1);
  woo.products[0] = wooProduct(1, { name: 'Renamed' });
  server.faults = [{ status: 404 }];
  await until(() => reports().length === 2);
  expect(reports().map(({ products }) => products.updated)).toEqual([0, 1]);
  expect(server.faults).toEqual([]);
  child.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
});

it.each([['--json'], []])(
  'survives a platform that repeats the credential and returns nonsense, from the first run on %s',
  async (...more) => {
    const basic = Buffer.from(`${wooKey.key}:${wooKey.secret}`).toString('base64');
    const message = `no ${wooKey.secret} ${basic} ${encodeURIComponent(`${wooKey.key}:${wooKey.secret}`)}`;
    server.faults = [
      { status: 404, body: JSON.stringify({ message }) },
      { body: '['.repeat(20_000) },
      { body: `[{"id":"${wooKey.secret}"}]` },
    ];
    const { child, said, ended, until } = start([...words(), '--every', '1s', ...more]);
    await until(() => said.stdout.includes(more.length > 0 ? '"products"' : 'is up to date'));
    expect(said.stderr).toContain('no [secret] [secret] [secret]');
    expect(said.stderr).toContain('nested too deep');
    for (const secret of [wooKey.key, wooKey.secret, basic]) expect(said.stdout + said.stderr).not.toContain(secret);
    child.kill('SIGTERM');
    expect(await ended).toEqual([143, null]);
  },
);

it('reads with --since what changed since the last pull, even if that was longer ago', async () => {
  const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
  await test.sql('UPDATE shops SET last_sync_at = $2 WHERE shop_id = $1', [shopId, hoursAgo(10)]);
  woo.products[0] = wooProduct(1, { name: 'Changed meanwhile', date_modified_gmt: hoursAgo(9).slice(0, -1) });
  woo.products[1] = wooProduct(2, { name: 'Changed before', date_modified_gmt: hoursAgo(14).slice(0, -1) });
  const line = [...words(), '--since', '1h', '--json'];
  const { products } = toDocument<Report>(await createCatalog(test.url, credential)(...line));
  expect(products).toMatchObject({ updated: 1, unchanged: 0 });
});

it('ends at the first run if the options are wrong', async () => {
  const line = ['pull', 'woocommerce', '--url', server.url.href, '--shop', 'unknown.example', '--every', '1s'];
  expect(await createCatalog(test.url, credential)(...line)).toMatchObject({ exitCode: 1, stdout: '' });
});

it('says that nothing was written when it is interrupted', async () => {
  const silent = createServer(() => undefined);
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const before = await test.sql('SELECT xmin::text, last_sync_at FROM shops WHERE shop_id = $1', [shopId]);
  const { port } = silent.address() as AddressInfo;
  const { child, said, ended } = start([...words(), '--url', `http://127.0.0.1:${port}`]);
  await once(silent, 'request');
  child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  expect(said).toEqual({ stdout: '', stderr: 'Interrupted: nothing was imported.\n' });
  expect(await test.sql('SELECT xmin::text, last_sync_at FROM shops WHERE shop_id = $1', [shopId])).toEqual(before);
  silent.closeAllConnections();
  silent.close();
});
