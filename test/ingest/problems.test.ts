import { ImportError } from '../../src/ingest/values/import-error';
import { ImportHarness, lines, order, product, variant } from './import-harness';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

const csv = (...rows: string[]): string => rows.map((row) => `${row}\n`).join('');

describe('a refusal', () => {
  it.each([false, true])(
    'lists every problem of all files, grouped by column and kind (dry run: %s)',
    async (dryRun) => {
      const shop = await harness.createShop();
      const files = [
        await harness.write(
          csv(
            'Handle,Title,Published,Status,Variant Grams,Variant Weight Unit,Variant Inventory Qty,Variant Price',
            'a,A,perhaps,active,1,stone,1.5,"1,5"',
            'b,,true,sold,,,,x',
            ',C,true,active,,,,1',
            'a,A,true,active,,,,2',
            'd,D,true,active,,,,3',
            'd,,,,,,,4',
          ),
          'products.csv',
        ),
        await harness.write(
          lines(
            product({ title: 5, variants: [variant({ price: 'cheap', options: [{ name: 'Size' }] }), variant()] }),
            order({ currency: 'eur', tags: ['a', null, 7] }),
          ),
          'snapshot.ndjson',
        ),
      ];
      const error = await shop.importFiles(files, { dryRun }).catch((thrown: unknown) => thrown as ImportError);
      const shown = (error as ImportError).message.replaceAll(`${harness.directory}/`, '');
      expect(shown).toBe(`products.csv, line 2, column "Published": expected true or false, got "perhaps"

17 problems found. Nothing was imported. The others:

products.csv, column "Variant Price": expected a decimal number such as 19.90 (if commas are decimal separators, set --decimal comma) (once)
  line 2: got "1,5"

products.csv, column "Variant Inventory Qty": expected an integer from -9007199254740991 to 9007199254740991 (once)
  line 2: got "1.5"

products.csv, column "Variant Weight Unit": expected g, kg, oz or lb (once)
  line 2: got "stone"

products.csv, column "Title": expected a title on the first row of handle "b" (once)
  line 3: got ""

products.csv, column "Status": expected active, draft, archived or unlisted (once)
  line 3: got "SOLD"

products.csv, column "Variant Price": expected a decimal number such as 19.90 (once)
  line 3: got "x"

products.csv, column "Handle": expected the product's handle on every row (once)
  line 4: got ""

products.csv: line … already has handle …, and its rows must be consecutive (once)
  line 5: line 2 already has handle "a", and its rows must be consecutive

products.csv: duplicate variant with the same options; this product already has it on line … (once)
  line 7: duplicate variant with the same options; this product already has it on line 6

snapshot.ndjson, title: expected text (once)
  line 1: got 5

snapshot.ndjson, variants[].price: expected a decimal number such as 19.90 (once)
  line 1, variants[0].price: got "cheap"

snapshot.ndjson, variants[].options[].value: expected text (required) (once)
  line 1, variants[0].options[0].value: got nothing

snapshot.ndjson, variants[].external_id: … appears twice (once)
  line 1, variants[1].external_id: "v1" appears twice

snapshot.ndjson, currency: expected a three-letter uppercase currency code such as EUR (once)
  line 2: got "eur"

snapshot.ndjson, tags[]: expected text (2 times)
  line 2, tags[1]: got null
  line 2, tags[2]: got 7`);
      expect((error as ImportError).problems).toMatchObject({ count: 17 });
      expect(await shop.rows('products')).toEqual([]);
    },
  );

  it('shows the first fifty and counts the others', async () => {
    const shop = await harness.createShop();
    const rows = Array.from({ length: 700 }, (_, index) => `p${index},P,${index % 2 ? 'x' : 'y'}`);
    const refused = await shop.refusal(csv('Handle,Title,Variant Price', ...rows));
    expect(refused).toContain('700 problems found. Nothing was imported. The first 49 others:');
    expect(refused).toContain('column "Variant Price": expected a decimal number such as 19.90 (700 times)');
    expect(refused.match(/^ {2}line \d+: got/gm)).toHaveLength(49);
  });

  it('continues after a file that cannot be read to its end', async () => {
    const shop = await harness.createShop();
    const files = [
      await harness.write('Handle,Title,Variant Price\na,A,x\nb,"B,1\n', 'broken.csv'),
      await harness.write('{"type":"order"}\n{"type":\n', 'more.ndjson'),
    ];
    await expect(shop.importFiles(files)).rejects.toMatchObject({
      problems: {
        list: [
          { line: 2, detail: 'got "x"' },
          { line: 3, detail: 'unclosed quote in the row that starts on this line' },
          { line: 1, field: 'external_id' },
          { line: 1, field: 'order_number' },
          { line: 2, detail: 'is not valid JSON' },
        ],
      },
    });
  });

  it('and a warning show no e-mail address (D25)', async () => {
    const shop = await harness.createShop();
    const error = await shop
      .import(lines(order({ currency: 'a@b.example', created_at: 'x@y.example', tags: [{ 'c@d.example': 1 }] })))
      .catch((thrown: unknown) => thrown as ImportError);
    expect(error).toBeInstanceOf(ImportError);
    const handles = 'Handle,Title,Option1 Value,Price\na@b.example,T,S,1\na@b.example,,L,1\n';
    await shop.import(handles);
    const { warnings } = await shop.import('URL handle,Title,Price\na@b.example,T,1\n');
    expect(warnings.join()).toContain('the variants of 1 product ([e-mail address]) were not updated');
    expect(JSON.stringify([(error as ImportError).message, (error as ImportError).problems])).not.toMatch(/@/);
  });
});
