import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainFiles, type FileExplanation } from '../../src/ingest/explain-files';
import { detectFormat } from '../../src/ingest/detect-format';
import { formatNames } from '../../src/ingest/formats/descriptions';
import { SourceFile } from '../../src/ingest/source/source-file';
import { samples } from './format-samples';
import { createTableReader } from './read-table';

const { refusal } = createTableReader();
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'recognition-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** What would be read of a file, or why it is not recognized. */
async function explain(content: string): Promise<FileExplanation | string> {
  const file = join(directory, 'file');
  await writeFile(file, content);
  const source = await SourceFile.open(file);
  try {
    detectFormat(source, 'auto');
  } catch (error) {
    return (error as Error).message.replace(`${directory}/`, '');
  } finally {
    await source.close();
  }
  const [found] = await explainFiles({ files: [file], format: 'auto' });
  return found as FileExplanation;
}

const tables = formatNames.filter((name) => !/^[{[]/.test(samples[name]));
const delimiterOf = (header: string): string => (header.includes(';') ? ';' : ',');

/** The sample of a format with another cell in the header, or none where it is undefined, in all rows. */
function withHeader(content: string, change: (name: string, index: number) => string): string {
  const [header = '', ...rows] = content.split('\n');
  const sign = delimiterOf(header);
  return [header.split(sign).map(change).join(sign), ...rows].join('\n');
}

describe.each(tables)('a table of %s of which one column is renamed', (format) => {
  const [header = ''] = samples[format].split('\n');
  // The first cells of the own export are quoted nowhere, so a header can be split.
  const names = header.split(delimiterOf(header));

  it('is read without the column, which is reported, or refused with the format and the column', async () => {
    for (const [index, name] of names.entries()) {
      const found = await explain(withHeader(samples[format], (cell, at) => (at === index ? 'Xyzzy' : cell)));
      if (typeof found === 'string') {
        const [brand = ''] = format.split('-');
        expect(found).toMatch(
          new RegExp(`^file: unrecognized format. Closest match: ${brand}.*missing column: .*`, 'i'),
        );
        expect(found.toLowerCase()).toContain(name.toLowerCase().replace(/\*$/, ''));
      } else {
        expect([format, name, found.format]).toEqual([format, name, format]);
        expect(found.columns.find((column) => column.name === 'Xyzzy')?.becomes).toBeNull();
        const whole = (await explain(samples[format])) as FileExplanation;
        const becomes = whole.columns.find((column) => column.name === name)?.becomes ?? null;
        // Some columns have a substitute.
        const isMissed = becomes !== null && !found.columns.some((column) => column.becomes === becomes);
        if (isMissed) expect(found.missing.length).toBeGreaterThan(whole.missing.length);
      }
    }
  });

  it('is not recognized in a language that is not known', async () => {
    const found = await explain(withHeader(samples[format], (_, index) => `sarake ${index}`));
    expect(found).toMatch(/^file: unrecognized format: its columns are sarake 0, .*\nOther tables need a mapping file/);
  });
});

describe('a file that resembles a format', () => {
  it.each<[what: string, content: string, message: string]>([
    [
      'WooCommerce, flattened by a script',
      'id,name,sku,type,status,price,regular_price,stock_quantity,main_image,categories,tags,description\n7,Kettle,K,simple,draft,20,24,3,k.jpg,Tea; Home,new,<p>K</p>\n',
      'Closest match: WooCommerce products (missing column: Published or Regular price or Attribute 1 name)',
    ],
    ['orders of a CRM', 'Name,Created at,Total,Currency\nAnn,2026-01-01,5,EUR\n', 'Closest match: Shopify orders (missing column: Lineitem name or Lineitem quantity or '],
    ['products with a price', 'Handle,Title,Vendor,Price\nmug,Mug,Acme,5\n', 'Closest match: Shopify products (missing column: Variant Price or URL handle or Option1 Value)'],
    ['a feed', 'id\ttitle\tdescription\tlink\timage_link\tavailability\tprice\tbrand\tgtin\nK-1,A\n', 'unrecognized format: its columns are id, title, '],
    ['a table below a title', 'All products\n\nHandle,Title,Variant Price\nmug,Mug,5\n', 'Closest match: Shopify products (the header is in row 2: delete the rows above it)'],
    ['a table with another delimiter than its program writes', samples.magento.replaceAll(',', ';'), 'Closest match: Magento (separated by comma; set the delimiter of the file with --delimiter)'],
    ['Shopify inventory without its locations', 'Handle,Title,Option1 Value,SKU,COO,Incoming,Unavailable,Committed,On hand\nmug,Mug,S,M,,0,0,0,4\n', 'Closest match: Shopify inventory (missing columns: Location, Available or Available (not editable))'],
    ['JSON of orders', '[{"id":1,"name":"#1","created_at":"2026-01-01T00:00:00Z","line_items":[{"quantity":1}],"currency":"EUR","total_price":"5"}]', 'Closest match: Shopify orders json (missing member: financial_status)'],
  ])('is refused with the name of the format and what lacks: %s', async (_, content, message) => {
    expect(await explain(content)).toContain(message);
  }); // prettier-ignore

  it('is refused with the error of the parser where there is one', async () => {
    expect(await explain('Handle,Title,"Body (HTML),Variant Price\nmug,Mug,,5\n')).toBe(
      'file, line 1: unclosed quote in the row that starts on this line',
    );
  });

  it.each(['<p>Two</p>', '<p>Two, or three</p>', 'Two'])(
    'is refused once where a cell is not quoted: %s',
    async (line) => {
      const broken = `URL handle,Title,Price,Description,SKU,Vendor\na,A,1,,A,V\nb,B,2,<p>One</p>\n${line}\n<p>Last</p>,B,V\n`;
      expect(await refusal(broken)).toBe(
        'table, line 3: expected 6 cells as in the header, got 4; the rest is on line 4 (a cell with a line break may be missing quotes)',
      );
    },
  );
});
