import { ImportHarness } from './import-harness';
import { csv } from './make-files';
import { fc } from '../support/properties';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

const numbers = [1, 2, 3, 4, 5, 6];
const header = [
  'handleId', 'fieldType', 'name', 'description', 'productImageUrl', 'collection', 'sku', 'ribbon', 'price', 'surcharge', 'visible', 'discountMode',
  'discountValue', 'inventory', 'weight', 'cost',
  ...numbers.flatMap((n) => [`productOptionName${n}`, `productOptionType${n}`, `productOptionDescription${n}`]), 'brand',
]; // prettier-ignore

type Row = Readonly<Record<string, string>>;
const wix = (...rows: Row[]): string =>
  `\ufeff${csv([header, ...rows.map((row) => header.map((name) => row[name] ?? ''))], ',', '\r\n')}`;

describe("Wix's product CSV", () => {
  it('is imported unchanged, for any products', async () => {
    const word = fc.stringMatching(/^[a-zé",/%]{1,5}$/u);
    const values = fc.tuple(word, word);
    const product = fc.record({
      title: word,
      body: fc.option(word, { nil: null }),
      price: fc.stringMatching(/^(?:0|[1-9][0-9]{0,3})(?:\.[0-9]{1,3})?$/),
      visible: fc.boolean(),
      variants: fc.uniqueArray(fc.record({ values, quantity: fc.integer({ min: -3, max: 99 }) }), { maxLength: 3, selector: (one) => one.values.join('\0') }),
    }); // prettier-ignore
    await fc.assert(
      fc.asyncProperty(fc.array(product, { minLength: 1, maxLength: 5 }), async (products) => {
        const shop = await harness.createShop();
        const rows = products.flatMap(({ title, body, price, visible, variants }, index) => [
          { handleId: `p${index}`, fieldType: 'Product', name: title, description: body ?? '', price, visible: String(visible), inventory: '7', productOptionName1: 'A', productOptionName2: 'B' },
          ...variants.map((one) => ({ handleId: `p${index}`, fieldType: 'Variant', inventory: String(one.quantity), productOptionDescription1: one.values[0], productOptionDescription2: one.values[1] })),
        ]); // prettier-ignore
        await shop.import(wix(...rows));
        expect(await shop.values('products', 'title', 'description_html', 'status', 'min_price')).toEqual(
          products.map(({ title, body, visible, price }) => [title, body, visible ? 'ACTIVE' : 'DRAFT', price]),
        );
        const found = await shop.values('variants', 'external_id', 'options', 'inventory_quantity', 'price');
        const named = (names: readonly string[]): object[] => names.map((value, at) => ({ name: 'AB'[at], value }));
        const expected = products.flatMap(({ variants, price }, index) =>
          variants.length === 0
            ? [[`p${index}/Default Title`, [], 7, price]]
            : variants.map((one) => [
                [`p${index}`, ...one.values.map(escapeValue)].join('/'),
                named(one.values),
                one.quantity,
                price,
              ]),
        );
        const byId = (a: unknown[], b: unknown[]): number => (String(a[0]) < String(b[0]) ? -1 : 1);
        expect(found.sort(byId)).toEqual(expected.sort(byId));
      }),
      { numRuns: 25 },
    );
  }); // prettier-ignore
});

const escapeValue = (value: string): string => value.replaceAll('%', '%25').replaceAll('/', '%2F');
