import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCatalog, createCatalog, toDocument } from '../cli/run-catalog';
import { useTestDatabase } from '../support/test-database';

const database = useTestDatabase();

it('the example of docs/snapshot-format.md is imported whole', async () => {
  const text = readFileSync(join(__dirname, '../../docs/snapshot-format.md'), 'utf8');
  const example = /^```json\n([\s\S]*?)^```/m.exec(text)?.[1] ?? '';
  const path = join(mkdtempSync(join(tmpdir(), 'catalog-snapshot-')), 'example.ndjson');
  writeFileSync(path, example);
  buildCatalog();
  const catalog = createCatalog(database.url);
  await catalog('shop', 'create', '--domain', 'snapshot.example');
  const report = toDocument(await catalog('import', path, '--shop', 'snapshot.example', '--json'));

  expect(report).toMatchObject({ products: { created: 1 }, collections: { created: 1 }, orders: { created: 1 } });
});
