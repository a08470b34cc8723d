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
