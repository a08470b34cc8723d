import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { useTestDatabase } from '../support/test-database';
import { buildCatalog, createCatalog, toDocument } from './run-catalog';

interface Report {
  readonly files: readonly unknown[];
  readonly dry_run: boolean;
  readonly products: { readonly read: number; readonly created: number; readonly unchanged: number };
  readonly orders: { readonly read: number; readonly created: number };
  readonly dropped: { readonly emails: number };
}

const demoSnapshot = join(__dirname, '../../prisma/demo/demo-shop.ndjson');
const folder = mkdtempSync(join(tmpdir(), 'catalog-import-'));

const database = useTestDatabase();
let catalog: ReturnType<typeof createCatalog>;

beforeAll(async () => {
  buildCatalog();
  catalog = createCatalog(database.url);
  await catalog('shop', 'create', '--domain', 'import.example');
});

function file(name: string, text: string | Buffer): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const importInto = (...words: readonly string[]) => catalog('import', ...words, '--shop', 'import.example');

describe('catalog import', () => {
  it('checks a snapshot without writing, writes it, and changes nothing the second time', async () => {
    const tried = toDocument<Report>(await importInto(demoSnapshot, '--dry-run', '--json'));
    expect(tried).toMatchObject({ dry_run: true, products: { read: 63, created: 63 } });
    expect(await database.sql('SELECT FROM products')).toHaveLength(0);

    const first = await importInto(demoSnapshot, '--json');
    expect(toDocument<Report>(first)).toMatchObject({
      dry_run: false,
      products: { read: 63, created: 63 },
      orders: { read: 970, created: 970 },
    });
    expect(first.stderr).toBe('');
    const ids = await database.sql('SELECT id, external_id FROM products ORDER BY external_id');
    expect(ids).toHaveLength(63);

    const second = toDocument<Report>(await importInto(demoSnapshot, '--json'));
    expect(second).toMatchObject({ products: { read: 63, created: 0, unchanged: 63 } });
    expect(await database.sql('SELECT id, external_id FROM products ORDER BY external_id')).toEqual(ids);
  });

  it('lists its warnings in JSON, too, and the columns that were not read', async () => {
    const content =
      'ID,Type,Name,Colour,Sale price,Regular price,Date sale price ends\n901,simple,Vase,red,5,9,2019-01-31\n';
    const report = toDocument<Report>(await importInto(file('sale.csv', content), '--dry-run', '--json'));
    expect(report).toMatchObject({
      files: [{ unread_columns: ['Colour'] }],
      warnings: [
        expect.stringContaining('sale prices that were not active at the time of the import') as string,
        expect.stringContaining('the file has no status for 1 product') as string,
      ],
    });
  });

  it('reads standard input, and reports how it was read', async () => {
    const table = gzipSync(Buffer.from('URL handle;Title;Price\nvase;Vase groß;19,90\n', 'latin1'));
    const { exitCode, stdout } = await catalog.withInput(table, 'import', '-', '--shop', 'import.example');
    const lines = stdout.split('\n').filter((line) => !line.startsWith('  missing') && !line.startsWith('  no stock'));
    expect({ exitCode, lines: lines.slice(0, 2) }).toEqual({
      exitCode: 0,
      lines: [
        'standard input: 1 record, shopify-products, gzip, Windows-1252, delimiter: semicolon',
        '  Warning: the file is not UTF-8 and was read as Windows-1252: check line 2, or set another encoding with --encoding',
      ],
    });
    expect(await database.sql("SELECT title, min_price FROM products WHERE handle = 'vase'")).toEqual([
      { title: 'Vase groß', min_price: '19.90' },
    ]);
  });

  it('refuses --sheet without a workbook', async () => {
    const table = file('sheetless.csv', 'Handle,Title,Variant Price\na,A,1\n');
    const { exitCode, stderr } = await importInto(table, '--sheet', 'Products');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: '--sheet requires a workbook such as products.xlsx: remove --sheet, or pass the workbook\n',
    });
  });

  it('applies the options that describe a file', async () => {
    const table = file('said.csv', Buffer.from('URL handle~Title~Price\nkrug~R\x8eunion~1,250\n', 'latin1'));
    const said = ['--delimiter', '~', '--encoding', 'macintosh', '--decimal', 'comma'];
    const report = toDocument<Report>(await importInto(table, ...said, '--json'));
    expect(report.files).toMatchObject([
      {
        file: table,
        format: 'shopify-products',
        encoding: 'Macintosh',
        delimiter: '"~"',
        reading_warnings: [],
        lines: 2,
        records: 1,
      },
    ]);
    expect(await database.sql("SELECT title, min_price FROM products WHERE handle = 'krug'")).toEqual([
      { title: 'Réunion', min_price: '1.250' },
    ]);
  });

  it('lists all problems, also as JSON, and grouped for people', async () => {
    const bad = file('bad.csv', 'Handle,Title,Variant Price\na,A,x\nb,B,y\nc,,1\n');
    const { exitCode, stderr } = await importInto(bad, '--dry-run', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        code: 'IMPORT_REFUSED',
        problem_count: 3,
        problems: [
          { file: bad, line: 2, field: 'column "Variant Price"' },
          { file: bad, line: 3, field: 'column "Variant Price"' },
          { file: bad, line: 4, field: 'column "Title"' },
        ],
      },
    });
    const shown = (await importInto(bad)).stderr;
    expect(shown).toContain(': expected a decimal number such as 19.90 (2 times)\n  line 3: got "y"\n');
  });

  it('leaves out as many objects as --skip-invalid allows, and says which', async () => {
    const table = file(
      'cloth.csv',
      'ID,Type,SKU,Name,Published,Stock,Regular price\n801,simple,A,A,1,12.5,1\n802,simple,B,B,1,3,2\n803,simple,C,C,1,many,3\n',
    );
    const skipping = (count: string, ...words: readonly string[]) =>
      importInto(table, '--skip-invalid', count, '--dry-run', ...words);
    const within = await skipping('2');
    expect(within).toMatchObject({ exitCode: 0, stderr: '' });
    expect(within.stdout).toContain(`Skipped as invalid: ${table}, line 2, column "Stock": expected an integer`);
    expect(within.stdout).toMatch(/^Skipped as invalid: .*, line 4, column "Stock": .*, got "many"$/m);
    const json = await skipping('2', '--json');
    expect([json.exitCode, JSON.parse(json.stdout)]).toMatchObject([
      0,
      {
        products: { read: 1, created: 1 },
        left_out: [2, 4].map((line) => ({ file: table, line, field: 'column "Stock"' })),
      },
    ]);
    const beyond = await skipping('1', '--json');
    expect([beyond.exitCode, JSON.parse(beyond.stderr || beyond.stdout)]).toMatchObject([
      1,
      { error: { problem_count: 2 } },
    ]);
    expect(await skipping('1')).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining(
        '2 problems found in 2 objects (--skip-invalid allows 1). Nothing was imported.',
      ) as string,
    });
    expect(await importInto(table, '--skip-invalid', '1', '--replace')).toMatchObject({ exitCode: 2 });
  });

  it('reports missing and unread columns, what changed, and where stock is', async () => {
    const first = file(
      'first.csv',
      'Handle,Title,Body (HTML),Variant Inventory Qty,Variant Price\ntin,Tin,<p>x</p>,5,1\n',
    );
    await importInto(first);
    const second = file('second.csv', 'Handle,Title,Variant Price,Gift Card\ntin,Tin,2,false\n');
    const stock = file('stock.csv', 'Handle,Option1 Value,Location,Available\ntin,,Oslo,7\nlid,,Oslo,1\n');
    const { stdout } = await importInto(second, stock);
    expect(stdout).toMatch(
      /second\.csv: 1 record, shopify-products\n {2}missing columns \(fields only they would provide keep stored values\): Body \(HTML\), Vendor, .* and \d+ more\n/,
    );
    expect(stdout).toContain("  no stock in this file: import Shopify's inventory export");
    expect(stdout).toContain('  ignored columns: Gift Card\n');
    expect(stdout).toContain('Changes: stock +2 (existing variants changed: 1); images +0 −0; descriptions +0 −0\n');
    expect(stdout).toContain(
      'Inventory (variants): 2 read, 1 updated, 0 unchanged, 1 not in the shop (lid/Default Title); locations: Oslo\n',
    );
    const report = toDocument(await importInto(second, stock, '--json'));
    expect(report).toMatchObject({
      files: [
        { unread_columns: ['Gift Card'] },
        { missing_columns: expect.arrayContaining(['Option2 Value']) as unknown },
      ],
      changes: { stock: { change: 0 } },
      inventory: { variants: 2, updated: 0, unchanged: 1, unknown: 1 },
    });
  });

  it('guards --replace, and shows in a dry run what it would remove', async () => {
    await catalog('shop', 'create', '--domain', 'guard.example');
    const rows = Array.from({ length: 10 }, (_, at) => `p${at},Pot ${at},1\n`);
    const importGuarded = (...words: readonly string[]) => catalog('import', ...words, '--shop', 'guard.example');
    await importGuarded(file('ten.csv', `Handle,Title,Variant Price\n${rows.join('')}`));
    const three = file('three.csv', `Handle,Title,Variant Price\n${rows.slice(0, 3).join('')}`);
    const refused = await importGuarded(three, '--replace');
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('--replace would remove 7 of 10 products');
    expect(refused.stderr).toContain('--allow-removing 7\n  products: Pot 3 (handle:p3), ');
    const tried = await importGuarded(three, '--replace', '--allow-removing', '70%', '--dry-run');
    expect(tried.stdout).toContain('Would remove 7 of 10 products: Pot 3 (handle:p3), ');
    const done = await importGuarded(three, '--replace', '--allow-removing', '7', '--json');
    expect(toDocument(done)).toMatchObject({ removals: [{ kind: 'product', count: 7, of: 10 }] });
    expect(await importGuarded(three, '--allow-removing', '7')).toMatchObject({ exitCode: 2 });
    expect(await importGuarded(three, '--replace', '--allow-removing', 'some')).toMatchObject({ exitCode: 2 });
    expect(await importGuarded(three, '--date-format', 'soon')).toMatchObject({ exitCode: 2 });
  });

  it('shows no progress without a terminal', async () => {
    const { exitCode, stdout, stderr } = await importInto(demoSnapshot);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/products +63/);
  });
});
