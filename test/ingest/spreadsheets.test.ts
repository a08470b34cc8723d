import { ImportHarness, lines, product } from './import-harness';
import { encode, pack, workbook } from './make-files';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

const header =
  'Handle;Title;Vendor;Published;Option1 Name;Option1 Value;Variant Grams;Variant Price;Variant Compare At Price;Variant Inventory Qty';

const rows = [
  'krug;Krug groß;Töpferei;WAHR;Größe;S;1250;19,90;1.234,50;1000',
  'krug;;;;;L;1250;24,90;;3',
  'teller;Teller;Töpferei;FALSCH',
].join('\r\n');

const stored = [
  ['handle:krug/L', '24.90', null, 3],
  ['handle:krug/S', '19.90', '1234.50', 1000],
  ['handle:teller/Default Title', null, null, null],
];

describe('what a German spreadsheet makes of an export', () => {
  it.each(['utf-8', 'windows-1252', 'utf-16le'] as const)(
    'is imported with its intended meaning: %s',
    async (encoding) => {
      const shop = await harness.createShop();
      const report = await shop.import(pack(encode(`sep=;\r\n${header}\r\n${rows}`, encoding), 'zip'));
      expect(await shop.values('products', 'title', 'vendor', 'status', 'min_price')).toEqual([
        ['Krug groß', 'Töpferei', 'ACTIVE', '19.90'],
        ['Teller', 'Töpferei', 'DRAFT', null],
      ]);
      expect(await shop.values('variants', 'external_id', 'price', 'compare_at_price', 'inventory_quantity')).toEqual(
        stored,
      );
      expect(report.files).toMatchObject([{ container: 'zip', delimiter: 'semicolon' }]);
      expect(report.files[0]?.readingWarnings.at(-1)).toBe(
        '1 row has fewer cells than the header, the first on line 5: missing cells were read as blank',
      );
    },
  );

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

  it('is rejected when a number is ambiguous, and nothing is written', async () => {
    const shop = await harness.createShop();
    const file = `${header}\r\nkrug;Krug;;;;;;1,250;;\r\n`;
    expect(await shop.refusal(file)).toBe(
      'file, line 2, column "Variant Price": expected an unambiguous number (this is 1.250 or 1250: choose with --decimal comma or --decimal point), got "1,250"',
    );
    expect(await shop.rows('products')).toEqual([]);
    await shop.import(file, { reading: { decimal: 'comma' } });
    expect(await shop.values('variants', 'price')).toEqual([['1.250']]);
  });
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
