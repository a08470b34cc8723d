import { csvColumnsOf, type CsvType } from '../../src/catalog/export/csv-table';
import { lines, product, useImportHarness } from './import-harness';
import { pack, workbook } from './make-files';

const harness = useImportHarness();

const header =
  'Handle;Title;Vendor;Published;Option1 Name;Option1 Value;Variant Grams;Variant Price;Variant Compare At Price;Variant Inventory Qty';

describe('what a German spreadsheet makes of an export', () => {
  it('as a workbook, with numbers and booleans', async () => {
    const shop = await harness.createShop();
    const names = header.split(';');
    const number = (text: string) => ({ raw: `><v>${text}</v>` });
    const boolean = (text: string) => ({ raw: `t="b"><v>${text}</v>` });
    await shop.import(
      workbook({
        sheets: [
          {
            name: 'Tabelle1',
            rows: [
              names,
              ['krug', 'Krug groß', 'Töpferei', boolean('1'), 'Größe', 'S', number('1250'), number('19.899999999999999'), number('1234.5'), number('1000')],
              ['krug', '', '', '', '', 'L', number('1250'), number('24.9'), '', number('3')],
              ['teller', 'Teller', 'Töpferei', boolean('0')],
            ],
          },
        ],
      }),
    ); // prettier-ignore
    expect(await shop.values('variants', 'external_id', 'price', 'compare_at_price', 'inventory_quantity')).toEqual([
      ['handle:krug/L', '24.9', null, 3],
      ['handle:krug/S', '19.9', '1234.5', 1000],
      ['handle:teller/Default Title', null, null, null],
    ]);
  });
});

it('a workbook with a title above the header is refused with advice', async () => {
  const shop = await harness.createShop();
  const rows = [['Price list 2026'], ['Handle', 'Title', 'Variant Price'], ['a', 'A', '1']];
  expect(await shop.refusal(workbook({ sheets: [{ name: 'S', rows }] }))).toContain('the header is in row 2');
});

it('rows of blank cells above the header, and copies of the header, are skipped', async () => {
  const shop = await harness.createShop();
  const header = 'ID,Type,SKU,Name,Published,Regular price,Sale price\n';
  const content = `,,,,,,\n${header}1,simple,A,Mug,1,5,\n\ufeff${header}2,simple,B,Bowl,1,6,\n`;
  const { files } = await shop.import(content);
  expect(files[0]?.readingWarnings).toEqual(['1 row repeats the header, on line 4: skipped']);
  expect(await shop.values('products', 'external_id', 'title')).toEqual([['1', 'Mug'], ['2', 'Bowl']]); // prettier-ignore
});

it('a snapshot may be compressed, and read from standard input', async () => {
  const shop = await harness.createShop();
  const bytes = pack(Buffer.from(lines(product())), 'gzip');
  const standardInput = async function* () {
    yield await Promise.resolve(bytes);
  };
  const report = await shop.importFiles(['-'], { reading: { standardInput } });
  expect(report).toMatchObject({
    files: [{ file: 'standard input', format: 'snapshot', container: 'gzip', encoding: 'UTF-8', readingWarnings: [] }],
    products: { created: 1 },
  });
  await expect(shop.importFiles(['-', '-'], { reading: { standardInput } })).rejects.toThrow(
    'standard input (-) can be used only once',
  );
});

/** The CSV of `catalog export`, as a spreadsheet with decimal commas saves it. */
function ownCsv(type: CsvType, ...rows: readonly Readonly<Record<string, string>>[]): string {
  const dates = { created_at: '2026-01-31T12:00:00.000Z', updated_at: '2026-01-31T12:00:00.000Z' };
  const names = csvColumnsOf(type).map(({ name }) => name);
  const cells = rows.map((row): Record<string, string> => ({ ...dates, ...row }));
  return [names, ...cells.map((row) => names.map((name) => row[name] ?? ''))]
    .map((row) => `${row.join(';')}\n`)
    .join('');
}

async function importOwn(
  product: Readonly<Record<string, string>>,
  variant: Readonly<Record<string, string>>,
  decimal?: 'comma',
) {
  const shop = await harness.createShop();
  const files = [
    await harness.write(ownCsv('products', { external_id: 'p', title: 'Mug', status: 'ACTIVE', ...product }), 'p'),
    await harness.write(ownCsv('variants', { product_external_id: 'p', external_id: 'v', ...variant }), 'v'),
  ];
  const { files: read } = await shop.importFiles(files, { reading: { delimiter: ';', decimal } });
  return {
    warnings: read.flatMap(({ readingWarnings }) => readingWarnings),
    variants: await shop.values('variants', 'price'),
  };
}

it('prices of our own CSV are read with the decimal separator that is given, or refused', async () => {
  const read = async (price: string) => (await importOwn({}, { price }, 'comma')).variants;
  expect(await read('1.250')).toEqual([['1250']]);
  expect(await read('1.250,50')).toEqual([['1250.50']]);
  await expect(importOwn({}, { price: '1.250' })).rejects.toThrow('choose with --decimal comma or --decimal point');
});

it('a product of our own CSV whose variants are not all there gets a warning', async () => {
  expect((await importOwn({ variant_count: '1' }, {})).warnings).toEqual([]);
  expect((await importOwn({ variant_count: '3' }, {})).warnings).toEqual([
    '1 product has more or fewer variants than its variant_count, on line 2: if you did not add or delete variants, export both files again',
  ]);
});
