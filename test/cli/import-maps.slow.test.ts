import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workbook } from '../ingest/make-files';
import { useTestDatabase } from '../support/test-database';
import { buildCatalog, createCatalog, toDocument } from './run-catalog';

const folder = mkdtempSync(join(tmpdir(), 'catalog-maps-'));
const database = useTestDatabase();

beforeAll(buildCatalog);

function file(name: string, content: string | Buffer): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

interface Explained {
  readonly files: readonly {
    readonly format: string | null;
    readonly recognized_by: string | null;
    readonly columns: readonly {
      readonly name: string;
      readonly becomes: string | null;
      readonly example: string | null;
    }[];
    readonly missing: readonly string[];
  }[];
}

describe('catalog import --explain', () => {
  // Nothing listens on that port, and the directory does not exist.
  const data = join(folder, 'no-such-directory');
  const catalog = createCatalog('postgresql://nobody@127.0.0.1:1/none', { DATA_DIR: data });
  const explain = async (...words: readonly string[]): Promise<Explained['files'][number]> => {
    const [first] = toDocument<Explained>(await catalog('import', '--explain', ...words, '--json')).files;
    if (first === undefined) throw new Error('expected a file to be explained');
    return first;
  };
  const rowsOf = ({ columns }: Explained['files'][number]): unknown[][] =>
    columns.map(({ name, becomes, example }) => [name, becomes, example]);

  it('shows columns, with neither shop nor database nor settings', async () => {
    const products = file(
      'p.csv',
      'Handle;Title;Variant Price;Gift Card;Tags\nmug;Becher für a@b.example;19,90;;\ncup;Cup;1;true;\n',
    );
    const { exitCode, stdout, stderr } = await catalog('import', '--explain', products);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`${products}: shopify-products, detected from its content\n`);
    expect(stdout).toContain('  UTF-8, delimiter: semicolon\n');
    expect(stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual(
      expect.arrayContaining([
        'COLUMN | BECOMES | FIRST VALUE',
        'Handle | external_id, handle, url | mug',
        'Variant Price | variants.price | 19,90',
        'Gift Card | (not read) | true',
        'Tags | tags | (blank)',
      ]),
    );
    expect(stdout).toMatch(/^Expected, but missing: Body \(HTML\), Vendor, /m);
    expect(stdout).not.toContain('a@b.example');
    expect(existsSync(data)).toBe(false);
  });

  it('shows examples of a workbook, and how an unknown table could be described', async () => {
    const known = await explain(file('p.xlsx', workbook({ sheets: [{ name: 'One', rows: [['URL handle', 'Title', 'Price'], ['mug', 'Mug', '1']] }] }))); // prettier-ignore
    expect(rowsOf(known)).toEqual([['URL handle', 'external_id, handle, url', 'mug'], ['Title', 'title', 'Mug'], ['Price', 'variants.price', '1']]); // prettier-ignore
    const unknown = file('unknown.csv', 'Artikel;Preis\nBecher;9,90\n');
    for (const words of [['--explain'], ['--shop', 'a.example']]) {
      const { stderr, exitCode } = await catalog('import', unknown, ...words);
      expect(exitCode).toBe(1);
      expect(stderr).toContain('its columns are Artikel, Preis.\n');
      expect(stderr).toContain('Other tables need a mapping file: --suggest-map prints one (docs/maps.md).');
    }
    const map = file(
      'map.yaml',
      'product: { external_id: Artikel, title: Artikel }\nvariant: { price: Preis, sku: SKU }\n',
    );
    expect(await explain(unknown, '--map', map)).toMatchObject({
      format: 'map',
      recognized_by: 'map',
      columns: [{ name: 'Artikel', becomes: 'external_id, title' }, { name: 'Preis', becomes: 'variants.price' }],
      missing: ['SKU'],
    }); // prettier-ignore
  });

  it('still rejects what is not a table', async () => {
    const { exitCode, stderr } = await catalog(
      'import',
      '--explain',
      file('picture.png', Buffer.from('\x89PNG\r\n', 'latin1')),
    );
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('this is an image') as string,
    });
  });

  it('is not needed for an import, which requires a shop', async () => {
    expect(await catalog('import', 'x.csv')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--shop') as string,
    });
    expect(
      await catalog('import', 'x.csv', '--shop', 'a.example', '--map', 'magento', '--format', 'snapshot'),
    ).toMatchObject({ exitCode: 2 });
  });

  it('runs as in the README, from any directory', () => {
    file('here.csv', 'URL handle,Title,Price\nmug,Mug,1\n');
    const { status, stdout } = spawnSync('npm', ['run', '-s', 'catalog', '--prefix', join(__dirname, '../..'), '--', 'import', '--explain', 'here.csv'], { cwd: folder, encoding: 'utf8', env: { ...process.env, INIT_CWD: folder } }); // prettier-ignore
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('here.csv: shopify-products') as string,
    });
  });
});

describe('catalog import --map', () => {
  it('reads a map from a pipe', () => {
    const map = file('piped.yaml', 'order: { external_id: Nr, total_price: Total }\n');
    const orders = file('orders.csv', 'Nr,Total\n7,45.00\n');
    const { status, stdout, stderr } = spawnSync('bash', ['-c', `"$0" dist/src/cli/main.js import --explain '${orders}' --map <(cat '${map}')`, process.execPath], { cwd: join(__dirname, '../..'), encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^Total +total_price +45\.00$/m);
  }); // prettier-ignore

  it('reads a table of the shop itself, and reports what does not fit', async () => {
    const catalog = createCatalog(database.url);
    await catalog('shop', 'create', '--domain', 'map.example');
    const map = file('stock.yaml', 'delimiter: semicolon\ndecimal: comma\nproduct:\n  external_id: Nr\n  title: Artikel\nvariant:\n  price: Preis\n');
    const table = file('stock.csv', 'Nr;Artikel;Preis\n7;Becher;1,250\n');
    const report = toDocument<{ files: unknown }>(await catalog('import', table, '--map', map, '--shop', 'map.example', '--json'));
    expect(report).toMatchObject({ products: { created: 1 }, files: [{ format: 'stock', delimiter: 'semicolon' }] });
    expect(await database.sql("SELECT external_id, title, min_price FROM products WHERE title = 'Becher'")).toEqual([{ external_id: '7', title: 'Becher', min_price: '1.250' }]);
    const other = await catalog('import', file('other.csv', 'Nr;Name\n7;x\n'), '--map', map, '--shop', 'map.example');
    expect(other.stderr).toContain(`other.csv: missing column: "Artikel"; its columns are Nr, Name; expected a table with the columns of the mapping file ${map}`);
    const broken = await catalog('import', table, '--map', file('broken.yaml', 'product:\n  external_id: Nr\n  titel: Artikel\n'), '--shop', 'map.example');
    expect(broken).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('broken.yaml, line 3, product.titel: unknown key; expected one of external_id, title,') as string });
    const missing = await catalog('import', table, '--map', 'shopware', '--shop', 'map.example');
    expect(missing.stderr).toContain('shopware: no such file; expected the path of a mapping file, or one of wix-products, prestashop, squarespace, bigcommerce, magento, opencart, shopware-orders');
  }); // prettier-ignore
});
