import { parseAllowance } from '../../src/ingest/allowance';
import { collection, ImportHarness, lines, order, product, type ShopUnderImport } from './import-harness';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

const many = (count: number, make: (values: object) => object): object[] =>
  Array.from({ length: count }, (_, index) =>
    make({ external_id: `x${index}`, title: `Thing ${index}`, order_number: `#${index}` }),
  );

async function createFullShop(): Promise<ShopUnderImport> {
  const shop = await harness.createShop();
  await shop.import(lines(...many(10, product), ...many(5, collection), ...many(20, order)));
  return shop;
}

const counts = async (shop: ShopUnderImport): Promise<number[]> => [
  (await shop.rows('products')).filter((row) => row['deleted_at'] === null).length,
  (await shop.rows('collections')).length,
  (await shop.rows('orders')).length,
];

const header = 'Handle,Title,Variant Price\n';

describe('--replace', () => {
  it('is rejected when the files contain nothing of a kind, and reports what it would remove', async () => {
    const shop = await createFullShop();
    const before = await shop.fingerprint();
    const refused = await shop.refusal(lines(product({ external_id: 'x0' })), { replace: true });
    expect(refused).toBe(
      '--replace would remove 9 of 10 products and 5 of 5 collections (the files contain none) and 20 of 20 orders (the files contain none). ' +
        'It can remove at most 20% of each kind: import complete files, omit --replace, or add --allow-removing 20\n' +
        '  products: Thing 1 (x1), Thing 2 (x2), Thing 3 (x3), Thing 4 (x4), Thing 5 (x5), and 4 more\n' +
        '  collections: Thing 0 (x0), Thing 1 (x1), Thing 2 (x2), Thing 3 (x3), Thing 4 (x4)\n' +
        '  orders: #0, #1, #10, #11, #12, and 15 more',
    );
    expect(await shop.refusal(header, { replace: true, dryRun: true })).toMatch(
      /remove 10 of 10 products .*contain none/,
    );
    expect(await shop.fingerprint()).toEqual(before);
  });

  it.each<[what: string, products: number, allowance: string | undefined, isAllowed: boolean]>([
    ['20 % of a kind', 8, undefined, true],
    ['more than 20%', 7, undefined, false],
    ['as many as are allowed', 4, '6', true],
    ['more than are allowed', 4, '5', false],
    ['as many per cent as are allowed', 4, '60%', true],
    ['more per cent than are allowed', 4, '59.9%', false],
    ['one, where none is allowed', 9, '0', false],
    ['none, where none is allowed', 10, '0%', true],
  ])('removes %s: %s of 10 products kept, --allow-removing %s', async (_, kept, allowance, isAllowed) => {
    const shop = await createFullShop();
    const file = lines(...many(kept, product), ...many(5, collection), ...many(20, order));
    const options = { replace: true, allowRemoving: allowance === undefined ? undefined : parseAllowance(allowance) };
    if (!isAllowed) {
      expect(await shop.refusal(file, options)).toMatch(new RegExp(`would remove ${10 - kept} of 10 products`));
      expect(await counts(shop)).toEqual([10, 5, 20]);
      return;
    }
    const report = await shop.import(file, options);
    expect(await counts(shop)).toEqual([kept, 5, 20]);
    expect(report.removals).toEqual([
      { kind: 'product', count: 10 - kept, of: 10, examples: expect.any(Array) as unknown },
      { kind: 'collection', count: 0, of: 5, examples: [] },
      { kind: 'order', count: 0, of: 20, examples: [] },
    ]);
  });

  it('needs no allowance where there is nothing to remove, and checks only the kinds of the files', async () => {
    const shop = await harness.createShop();
    await shop.import(header, { replace: true });
    await shop.import(lines(...many(20, order)));
    await shop.import(`${header}mug,Mug,1\n`, { replace: true });
    expect(await counts(shop)).toEqual([1, 0, 20]);
  });

  it('lists in a dry run what it would remove', async () => {
    const shop = await createFullShop();
    const { removals } = await shop.import(lines(...many(9, product), ...many(5, collection), ...many(17, order)), {
      replace: true,
      dryRun: true,
    });
    expect(removals.filter(({ count }) => count > 0)).toEqual([
      { kind: 'product', count: 1, of: 10, examples: ['Thing 9 (x9)'] },
      { kind: 'order', count: 3, of: 20, examples: ['#17', '#18', '#19'] },
    ]);
    expect(await counts(shop)).toEqual([10, 5, 20]);
  });
});

it.each(['', 'many', '-1', '101%', '5.5', '1e3', '%'])('an allowance is not %j', (text) => {
  expect(() => parseAllowance(text)).toThrow(
    'expected a number of objects such as 10, or a percentage such as 35%, got',
  );
});
