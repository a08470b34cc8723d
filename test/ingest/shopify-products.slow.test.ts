import { ImportHarness } from './import-harness';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

const csv = (...rows: string[]): string => rows.map((row) => `${row}\r\n`).join('');
const minimal = 'Handle,Title,Variant Price';

describe("importing Shopify's product CSV", () => {
  it('reads classic headers: continuation rows, image-only rows, quoted line ends, blanks, NBSP, U+2028', async () => {
    const shop = await harness.createShop();
    const report = await shop.import(
      '\ufeff' +
        csv(
          'Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,' +
            'Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Variant Compare At Price,Variant Barcode,' +
            'Image Src,Image Position,Variant Image,Variant Weight Unit,Cost per item,Status,SEO Title,Price / Norway',
          'mug,Mug,"<p>Line\u2028 one,\r\n""two""\u00a0</p>",Kiln,Mugs,"new, sale, new",TRUE,Size,L,Colour,Red/Blue,A,454,shopify,-2,19.90,25.000,\'0123,' +
            'two.jpg,2,v.jpg,lb,7,active,Seo,99',
          'mug,,,,,,,,M,,Red,,1500,,5,.5,,,one.jpg,1,,kg,,,,',
          'mug,,,,,,,,,,,,,,,,,,three.jpg,3,,,,,,',
          '',
          'plain,Plain,,,,,false,Title,Default Title,,,,0,shopify,0,,,,,,,,,,,',
        ),
    );
    expect(report.products).toMatchObject({ read: 2, created: 2 });
    expect(await shop.values('products', 'external_id', 'title', 'description_html', 'tags', 'status', 'image_url', 'published_at')).toEqual([
      ['handle:mug', 'Mug', '<p>Line\u2028 one,\r\n"two"\u00a0</p>', ['new', 'sale'], 'ACTIVE', 'one.jpg', '2026-03-01T12:00:00+00:00'],
      ['handle:plain', 'Plain', null, [], 'DRAFT', null, null],
    ]); // prettier-ignore
    expect(await shop.values('variants', 'external_id', 'title', 'price', 'inventory_quantity', 'weight', 'weight_unit', 'barcode')).toEqual([
      ['handle:mug/L/Red%2FBlue', 'L / Red/Blue', '19.90', -2, '1', 'lb', '0123'],
      ['handle:mug/M/Red', 'M / Red', '0.5', null, '1.5', 'kg', null],
      ['handle:plain/Default Title', 'Default Title', null, 0, '0', 'g', null],
    ]); // prettier-ignore
    expect(await shop.values('variants', 'options', 'position', 'compare_at_price', 'cost_price', 'image_url')).toEqual([
      [[{ name: 'Size', value: 'L' }, { name: 'Colour', value: 'Red/Blue' }], 1, '25.000', '7', 'v.jpg'],
      [[{ name: 'Size', value: 'M' }, { name: 'Colour', value: 'Red' }], 2, null, null, null],
      [[], 1, null, null, null],
    ]); // prettier-ignore
  });

  it('reads the headers of 2025, in any case', async () => {
    const shop = await harness.createShop();
    await shop.import(
      csv(
        'TITLE,URL handle,Description,Published on online store,Status,SKU,Barcode,Option1 name,Option1 value,Price,Compare-at price,' +
          'Cost per item,Inventory tracker,Inventory quantity,Weight value (grams),Weight unit for display,Product image URL,SEO title',
        'Lamp,lamp,<b>x</b>,true,Archived,L-1,400,Size,S,9,10,5,shopify,4294967294,28,oz,l.jpg,T',
      ),
    );
    expect(await shop.values('products', 'handle', 'status', 'image_url', 'seo_title', 'total_stock')).toEqual([
      ['lamp', 'ARCHIVED', 'l.jpg', 'T', 4294967294],
    ]);
    expect(await shop.values('variants', 'external_id', 'sku', 'weight', 'weight_unit', 'price')).toEqual([
      ['handle:lamp/S', 'L-1', '1', 'oz', '9'],
    ]);
  });

  it.each([
    ['true', undefined, 'ACTIVE', true],
    ['', undefined, 'DRAFT', false],
    ['TRUE', 'draft', 'DRAFT', true],
    ['false', 'Unlisted', 'ACTIVE', false],
  ])('takes Published %p and Status %p for %s', async (published, status, expected, isPublished) => {
    const shop = await harness.createShop();
    const columns = status === undefined ? '' : ',Status';
    await shop.import(
      csv(`${minimal},Published${columns}`, `a,A,1,${published}${status === undefined ? '' : `,${status}`}`),
    );
    const [[found, at] = []] = await shop.values('products', 'status', 'published_at');
    expect([found, at !== null]).toEqual([expected, isPublished]);
  });

  it('changes nothing the second time, and updates updated_at only when something changed, ids in any row order', async () => {
    const shop = await harness.createShop();
    const header = `${minimal},Published,Option1 Name,Option1 Value`;
    await shop.import(csv(header, 'a,A,1,true,Size,S', 'a,,2,,,L', 'b,B,3,true,,'));
    const rows = async (): Promise<unknown> => [await shop.rows('products'), await shop.rows('variants')];
    const before = await rows();
    const later = { clock: (): number => Date.parse('2026-04-01T00:00:00Z') };
    const again = await shop.import(csv(header, 'b,B,3,true,,', 'a,A,1,true,Size,S', 'a,,2,,,L'), later);
    expect(await rows()).toEqual(before);
    expect(again.products).toMatchObject({ unchanged: 2, updated: 0 });
    const ids = await shop.values('variants', 'id');
    await shop.import(csv(header, 'b,B,3,true,,', 'a,A,1,true,Size,S', 'a,,2.5,,,L'), later);
    expect(await shop.values('variants', 'id')).toEqual(ids);
    expect(await shop.values('products', 'external_id', 'created_at', 'updated_at', 'published_at')).toEqual([
      ['handle:a', '2026-03-01T12:00:00+00:00', '2026-04-01T00:00:00+00:00', '2026-03-01T12:00:00+00:00'],
      ['handle:b', '2026-03-01T12:00:00.001+00:00', '2026-03-01T12:00:00.001+00:00', '2026-03-01T12:00:00.001+00:00'],
    ]);
  });

  it('removes only products with replace', async () => {
    const shop = await harness.createShop();
    await shop.import('{"type":"order","external_id":"o","order_number":"1"}\n');
    await shop.import(csv(minimal, 'a,A,1', 'b,B,1'));
    const report = await shop.import(csv(minimal, 'a,A,1'), { replace: true, allowRemoving: { percent: 100 } });
    expect([report.products.removed, report.orders.removed]).toEqual([1, 0]);
    expect(await shop.values('orders', 'external_id')).toEqual([['o']]);
  });

  it.each([
    ['a price', csv(minimal, 'a,A,1', 'b,B,"1,5"'), 'file, line 3, column "Variant Price": expected a decimal number such as 19.90 (where commas are decimal signs, set --decimal comma), got "1,5"'],
    ['a cell after quoted line ends', csv(minimal, 'a,"A\r\n\r\nA",1', 'b,B,x'), 'file, line 5, column "Variant Price": expected a decimal number such as 19.90, got "x"'],
    ['no title', csv(minimal, 'a,,1'), 'file, line 2, column "Title": expected a title on the first row of handle "a", got ""'],
    ['no handle', csv(minimal, ',A,1'), 'file, line 2, column "Handle": expected the product\'s handle on every row, got ""'],
    ['a handle that reappears', csv(minimal, 'a,A,1', 'b,B,1', 'a,A,2'), 'file, line 4: handle "a" reappears: its rows began in line 2 and must be consecutive'],
    ['a variant twice', csv(minimal, 'a,A,1', 'a,,2'), 'file, line 3, column "option1Value": line 2 already has a variant with the same options'],
    ['a ragged row', csv(minimal, 'a,A,1', 'b,B,1,2'), 'file, line 3: expected 3 cells as in the header, got 4 (is a quote or comma missing?)'],
    ['an open quote', csv(minimal, 'a,A,1', 'b,"B,1', 'c,C,1'), 'file, line 3: a quoted cell of the row that starts here is never closed'],
    ['text after a quote', csv(minimal, 'a,"A"A,1'), 'file, line 2: a quoted cell of the row that starts here continues after its closing quote (write "" for a quote)'],
    ['a column twice', csv(`${minimal},Title`, 'a,A,1,B'), 'file, line 1, Title: this column appears twice'],
    ['a status', csv(`${minimal},Status`, 'a,A,1,sold'), 'file, line 2, column "Status": expected active, draft, archived or unlisted, got "SOLD"'],
  ])('rejects %s, and writes nothing', async (_, file, message) => {
    const shop = await harness.createShop();
    expect(await shop.refusal(file)).toBe(message);
    expect(await shop.rows('products')).toEqual([]);
  }); // prettier-ignore

  it('reads no more variants of one handle than a response may contain, and reports the line', async () => {
    const shop = await harness.createShop();
    const rows = Array.from({ length: 50_000 }, (_, index) => `mug,${index === 0 ? 'Mug' : ''},Size,${index},1`);
    await expect(shop.import(csv('Handle,Title,Option1 Name,Option1 Value,Variant Price', ...rows))).rejects.toThrow(
      /line 41945.*expected at most 41943 variants of one handle, got more of "mug"/,
    );
    expect(await shop.values('products', 'title')).toEqual([]);
  });
});
