import { ImportHarness, lines, order, product, variant, type ShopUnderImport } from './import-harness';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

const leftOut = async (shop: ShopUnderImport, file: string, skipInvalid: number): Promise<string[]> => {
  const report = await shop.import(file, { skipInvalid });
  return report.leftOut.map(({ message }) => message.replace(`${harness.directory}/`, ''));
};

const woo = (...stocks: string[]): string =>
  `ID,Type,SKU,Name,Published,Stock,Regular price,Sale price,Categories\n${stocks.map((stock, at) => `${at + 1},simple,S${at + 1},P,1,${stock},1,,Cups\n`).join('')}`;

describe('--skip-invalid', () => {
  it('leaves out as many objects as it allows, names them, and imports the others', async () => {
    const shop = await harness.createShop();
    expect(await leftOut(shop, woo('12.5', '3', 'many', '4'), 2)).toEqual([
      expect.stringMatching(/^file, line 2, column "Stock": expected a whole number .*, got "12.5"$/),
      expect.stringMatching(/^file, line 4, column "Stock": .*, got "many"$/),
    ]);
    expect(await shop.values('products', 'external_id')).toEqual([['2'], ['4']]);
    expect(await shop.values('collections', 'title')).toEqual([['Cups']]);
  });

  it('writes nothing, and lists all problems, when there are more', async () => {
    const shop = await harness.createShop();
    expect(await shop.refusal(woo('12.5', '3', 'many'), { skipInvalid: 1 })).toMatch(/^file, line 2,.*\n\nNothing was written: 2 problems\. The others:\n/);
    expect(await shop.rows('products')).toEqual([]);
  }); // prettier-ignore

  it.each<[what: string, file: string, kept: string[], count?: number]>([
    ['a product, for one of its rows', 'Handle,Title,Option1 Name,Option1 Value,Variant Price\na,A,Size,S,1\na,,,L,x\nb,B,,,1\n', ['handle:b']],
    ['a product, for its first row', 'Handle,Title,Option1 Name,Option1 Value,Variant Price\na,,Size,S,1\na,,,L,1\nb,B,,,1\n', ['handle:b']],
    ['a row of no object', 'Handle,Title,Variant Price\n,A,1\nb,B,1\n', ['handle:b']],
    ['a product, for one of its variations', 'ID,Type,SKU,Name,Stock,Regular price,Sale price,Parent\n1,variable,A,A,,,,\n2,variation,A1,A,x,1,,id:1\n3,simple,B,B,1,1,,\n', ['3']],
    ['a line of a snapshot', lines(product({ title: 5 }), product({ external_id: 'p2' }), order()), ['p2']],
    ['a line that is no JSON', `{"type":"product",\n${lines(product({ external_id: 'p2' }))}`, ['p2']],
  ])('leaves out %s', async (_, file, kept) => {
    const shop = await harness.createShop();
    expect(await leftOut(shop, file, 1)).toHaveLength(1);
    expect((await shop.values('products', 'external_id')).flat()).toEqual(kept);
  }); // prettier-ignore

  it('keeps a stored object as it is', async () => {
    const shop = await harness.createShop();
    await shop.import(lines(product({ variants: [variant({ price: '1' })] })));
    await leftOut(shop, lines(product({ title: 'New', variants: [variant({ price: 'cheap' })] })), 1);
    expect(await shop.values('products', 'title')).toEqual([['Mug']]);
    expect(await shop.values('variants', 'price')).toEqual([['1']]);
  });

  it.each<[what: string, file: string]>([
    ['a file that breaks off', lines({ type: 'shop', export: 'snapshot' }, product())],
    ['a row with too many cells', 'Handle,Title,Variant Price\na,A,1\nb,B,1,1\nc,C,1\n'],
    ['a header', 'Handle,Title,Variant Price,Option2 Value\na,A,1,x\n'],
    ['stock, which is a sum', 'Handle,Option1 Name,Option1 Value,Location,Available\na,Title,Default Title,Lund,1.5\n'],
  ])('does not leave out %s', async (_, file) => {
    const shop = await harness.createShop();
    await shop.refusal(file, { skipInvalid: 100 });
    expect(await shop.rows('products')).toEqual([]);
  }); // prettier-ignore
});

describe('rows of one order that stand apart', () => {
  const header = 'Id,Name,Created at,Total,Lineitem quantity,Lineitem name\n';
  const first = (id: string, name: string): string => `${id},${name},2026-01-01 10:00:00 +0000,1,1,Mug\n`;
  const further = (name: string): string => `,${name},,,1,Cup\n`;

  it.each<[what: string, rows: string]>([
    ['after another order', first('1', '#1') + first('2', '#2') + further('#1')],
    ['before the first row', further('#1') + first('2', '#2') + first('1', '#1')],
    ['directly before the first row', further('#1') + first('1', '#1')],
    ['of the same id', first('1', '#1') + first('2', '#2') + first('1', '#1')],
  ])('are refused: %s', async (_, rows) => {
    const shop = await harness.createShop();
    expect(await shop.refusal(header + rows)).toMatch(/^file, line \d: order "#1" reappears: its rows began in line \d/);
  }); // prettier-ignore

  it('are those of two orders where these have ids and share a name', async () => {
    const shop = await harness.createShop();
    await shop.import(header + first('1', '#1') + further('#1') + first('2', '#1'));
    expect(await shop.values('orders', 'external_id', 'items_count')).toEqual([['1', 2], ['2', 1]]);
  }); // prettier-ignore
});
