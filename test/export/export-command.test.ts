import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCatalog, createCatalog, toDocument } from '../cli/run-catalog';
import { seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';

let database: TestDatabase;
let catalog: ReturnType<typeof createCatalog>;
beforeAll(async () => {
  buildCatalog();
  database = await createTestDatabase();
  catalog = createCatalog(database.url);
});
afterAll(() => database.drop());

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

/** The lines without what differs between two shops: ids, domain, version and cursor. */
const comparable = (ndjson: string): string =>
  ndjson.replaceAll(/"(?:id|domain|version|changes_cursor)":"[^"]*",?/g, '');

const write = (content: string): string => {
  const file = join(mkdtempSync(join(tmpdir(), 'catalog-export-')), 'shop.ndjson');
  writeFileSync(file, content);
  return file;
};

describe('catalog export', () => {
  it('writes what import makes an equal shop of', async () => {
    await seed('from.example');
    const { exitCode, stdout, stderr } = await catalog('export', '--shop', 'from.example');
    expect([exitCode, stderr]).toEqual([0, '']);
    await catalog('shop', 'create', '--domain', 'to.example');
    const report = toDocument<{ warnings: unknown[]; dropped: unknown }>(
      await catalog('import', write(stdout), '--shop', 'to.example', '--json'),
    );
    expect(report).toMatchObject({ warnings: [], dropped: { ignored_members: {} } });
    expect(comparable((await catalog('export', '--shop', 'to.example')).stdout)).toBe(comparable(stdout));
  });

  it('keeps the ids in another database with --keep-ids, and is refused beside the shop that has them', async () => {
    await seed('kept.example');
    const { stdout } = await catalog('export', '--shop', 'kept.example');
    const file = write(stdout);
    const elsewhere = await createTestDatabase();
    try {
      const there = createCatalog(elsewhere.url);
      await there('shop', 'create', '--domain', 'kept.example');
      expect((await there('import', file, '--shop', 'kept.example', '--keep-ids')).exitCode).toBe(0);
      const again = await there('export', '--shop', 'kept.example');
      const withoutShopLine = (ndjson: string) => ndjson.slice(ndjson.indexOf('\n'));
      expect(withoutShopLine(again.stdout)).toBe(withoutShopLine(stdout));
    } finally {
      await elsewhere.drop();
    }
    await catalog('shop', 'create', '--domain', 'beside.example');
    const refused = await catalog('import', file, '--shop', 'beside.example', '--keep-ids');
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('has the id of one in the shop "kept.example"');
  });

  it('that broke off is not imported', async () => {
    await seed('broken.example');
    const { stdout } = await catalog('export', '--shop', 'broken.example');
    const lines = stdout.split('\n');
    const refused = await catalog('import', write(lines.slice(0, -2).join('\n')), '--shop', 'broken.example');
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('broke off');
  });

  it('refuses a shop and types that it does not know', async () => {
    const missing = await catalog('export', '--shop', 'missing.example');
    expect([missing.exitCode, missing.stdout]).toEqual([1, '']);
    expect(missing.stderr).toContain('missing.example');
    expect((await catalog('export', '--shop', 'x.example', '--types', 'variants')).exitCode).toBe(2);
  });
});
