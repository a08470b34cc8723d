import { SpillBuffer } from '../../src/ingest/source/spill-buffer';
import { ImportHarness } from './import-harness';
import { csv as toCsv, workbook } from './make-files';
import { languages, writeExport, writeRows, type WooProduct } from './woocommerce-export';
import { fc } from '../support/properties';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

const csv = (...rows: string[]): string => rows.map((row) => `${row}\r\n`).join('');
const minimal = 'ID,Type,SKU,Name,Sale price,Regular price,Parent';

describe("importing WooCommerce's product CSV", () => {
  it('reads the full form: variations, sale prices, categories, escapes, entities, images', async () => {
    const shop = await harness.createShop();
    const report = await shop.import(
      '\ufeff' +
        csv(
          'ID,Type,SKU,"GTIN, UPC, EAN, or ISBN",Name,Published,"Is featured?",Description,Stock,"Weight (lbs)","Sale price","Regular price",Categories,Tags,Images,Parent,Position,Brands,' +
            '"Attribute 1 name","Attribute 1 value(s)","Attribute 1 visible","Attribute 1 global","Attribute 1 default","Attribute 2 name","Attribute 2 value(s)","Meta: _yoast_wpseo_title","BUTTON TEXT"',
          String.raw`12,"variation, downloadable, virtual",MUG-L,4006381333931,"Mug &ndash; L",1,0,,parent,.5,,12.50,,,,MUG,2,,Size,L,,1,,Colour,"Red\, dark",,`,
          String.raw`10,variable,MUG,,"Mug &amp; Saucer",1,0,"<p>one</p>\n'C:\\new'",,1.5,,,"Kitchen, Kitchen > Mugs & Cups, A\, B","new\, hot, sale","https://a.example/1.jpg, https://a.example/2\,3.jpg",,0,Kiln,Size,"L, M",1,1,L,Colour,"Red\, dark, Blue",%%title%% %%sep%%,`,
          `11,variation,'=SUM,,Mug - M,0,0,,7,,"9,90","12,50",,,https://a.example/m.jpg,id:10,1,,Size,M,,1,,Colour,,,`
            .replaceAll('9,90', '9.90')
            .replaceAll('12,50', '12.50'),
          `20,"simple, virtual",'+20',,"'-10% voucher'",'-1',0,'@home,-3,,,0,Gifts,,,,0,,,,,,,,,Voucher,`,
          `21,external,,,Link,0,0,,,,,,,,,,,,,,,,,,,,`,
          `22,grouped,,,Set,1,0,,,,,,,,,,,,,,,,,,,,`,
        ),
    );
    expect(report.products).toMatchObject({ read: 4, created: 4 });
    expect(report.files[0]).toMatchObject({ format: 'woocommerce-products', missingColumns: [], unreadColumns: ['Is featured?', 'Attribute 1 visible', 'Attribute 1 global', 'Attribute 1 default', 'BUTTON TEXT'] }); // prettier-ignore
    expect(report.warnings).toEqual([expect.stringContaining('1 variations share the stock of their product')]);
    expect(await shop.values('products', 'external_id', 'title', 'status', 'vendor', 'product_type', 'tags', 'image_url', 'seo_title', 'published_at')).toEqual([
      ['10', 'Mug & Saucer', 'ACTIVE', 'Kiln', 'Mugs & Cups', ['new, hot', 'sale'], 'https://a.example/1.jpg', null, '2026-03-01T12:00:00+00:00'],
      ['20', '-10% voucher', 'DRAFT', null, 'Gifts', [], null, 'Voucher', null],
      ['21', 'Link', 'DRAFT', null, null, [], null, null, null],
      ['22', 'Set', 'ACTIVE', null, null, [], null, null, '2026-03-01T12:00:00.003+00:00'],
    ]); // prettier-ignore
    expect(await shop.values('products', 'description_html')).toEqual([
      ["<p>one</p>\n'C:\\new'"],
      ['@home'],
      [null],
      [null],
    ]);
    expect(await shop.values('variants', 'external_id', 'title', 'sku', 'barcode', 'price', 'compare_at_price', 'inventory_quantity', 'weight', 'weight_unit', 'position', 'image_url')).toEqual([
      ['11', 'M', '=SUM', null, '9.90', '12.50', 7, '1.5', 'lb', 1, 'https://a.example/m.jpg'],
      ['12', 'L / Red, dark', 'MUG-L', '4006381333931', '12.50', null, null, '0.5', 'lb', 2, null],
      ['20', 'Default Title', '+20', null, '0', null, -3, null, null, 1, null],
      ['21', 'Default Title', null, null, null, null, null, null, null, 1, null],
    ]); // prettier-ignore
    expect(await shop.values('variants', 'options')).toEqual([
      [[{ name: 'Size', value: 'M' }]],
      [[{ name: 'Size', value: 'L' }, { name: 'Colour', value: 'Red, dark' }]],
      [[]],
      [[]],
    ]); // prettier-ignore
    expect(await shop.values('collections', 'external_id', 'title', 'collection_type', 'products_count')).toEqual([
      ['category:A, B', 'A, B', 'manual', 1],
      ['category:Gifts', 'Gifts', 'manual', 1],
      ['category:Kitchen', 'Kitchen', 'manual', 1],
      ['category:Kitchen > Mugs & Cups', 'Mugs & Cups', 'manual', 1],
    ]); // prettier-ignore
  });

  it('changes nothing the second time', async () => {
    const shop = await harness.createShop();
    const file = writeExport('en', [mug]);
    await shop.import(file);
    const before = await shop.fingerprint();
    const report = await shop.import(file);
    expect([report.products, report.variants, report.collections]).toEqual([
      expect.objectContaining({ unchanged: 1, updated: 0 }),
      expect.objectContaining({ unchanged: 2, updated: 0 }),
      expect.objectContaining({ unchanged: 1, updated: 0 }),
    ]);
    expect(await shop.fingerprint()).toEqual(before);
  });

  it.each(languages)('reads the same catalog from an export in %s', async (language) => {
    const shop = await harness.createShop();
    const report = await shop.import(writeExport(language, [mug]));
    expect(report.files[0]?.missingColumns).toEqual([]);
    expect(await catalogOf(shop)).toEqual([mug].map(toStored));
  });

  it('reads it from a workbook, and with other delimiters', async () => {
    for (const language of ['de', 'ru'] as const) {
      const rows = writeRows(language, [mug]);
      for (const file of [
        workbook({ sheets: [{ name: 'Produkte', rows }] }),
        toCsv(rows, ';', '\n'),
        toCsv(rows, '\t', '\r\n'),
      ]) {
        const shop = await harness.createShop();
        await shop.import(file);
        expect(await catalogOf(shop)).toEqual([mug].map(toStored));
      }
    }
  });

  it('reports an unknown language when columns are missing', async () => {
    const shop = await harness.createShop();
    expect(await shop.refusal(csv('ID,Tyyppi,Tuotenimi', '1,simple,Muki', '2,"variation, virtual",Muki'))).toEqual(
      expect.stringContaining('file: unrecognized format: its columns are ID, Tyyppi, Tuotenimi'),
    );
  });

  it('reads files without ids: products by SKU, variations by options', async () => {
    const shop = await harness.createShop();
    await shop.import(
      csv(
        'Type,SKU,Name,Regular price,Parent,Attribute 1 name,Attribute 1 value(s)',
        'variable,M,Mug,,,Size,"L, 1/2"',
        'variation,,Mug,5,M,Size,1/2',
        'simple,P,Plate,3,,,',
      ),
    );
    expect(await shop.values('variants', 'external_id', 'price')).toEqual([['sku:M/1%2F2', '5'], ['sku:P', '3']]); // prettier-ignore
    expect(await shop.values('products', 'external_id')).toEqual([['sku:M'], ['sku:P']]);
  });

  it('keeps what it has no column for', async () => {
    const shop = await harness.createShop();
    await shop.import(writeExport('en', [mug]));
    await harness.test.sql("UPDATE products SET handle = 'mug' WHERE shop_id = $1", [shop.id]);
    const report = await shop.import(csv('ID,Type,Name,Parent,Published', '1,variable,Cup,,1', '2,variation,Cup,id:1,1', '3,variation,Cup,id:1,1')); // prettier-ignore
    expect(report.changes).toMatchObject({
      stock: { change: 0 },
      images: { removed: 0 },
      descriptions: { removed: 0 },
    });
    expect(await shop.values('products', 'handle')).toEqual([['mug']]);
    expect(await catalogOf(shop)).toEqual([{ ...mug, title: 'Cup' }].map(toStored));
    const half = await shop.import(csv('ID,Type,Name,Parent,Regular price', '1,variable,Mug &amp; Saucer,,', '2,variation,Mug,id:1,99', '3,variation,Mug,id:1,99')); // prettier-ignore
    expect(half.warnings).toContainEqual(expect.stringContaining('without both columns Regular price and Sale price'));
    expect(await catalogOf(shop)).toEqual([mug].map(toStored));
  });

  it('keeps variants when the export contains no variations', async () => {
    const shop = await harness.createShop();
    await shop.import(writeExport('en', [mug, plate]));
    const report = await shop.import(csv(minimal, '1,variable,MUG,Cup,,,', '9,simple,PLATE,Plate,,5,'));
    expect(report.warnings).toContainEqual(expect.stringContaining('the file does not have the variations of 1 variable product: variants that are stored were kept')); // prettier-ignore
    expect(report.variants.removed).toBe(0);
    expect(await shop.values('products', 'variant_count', 'min_price', 'max_price')).toEqual([[2, '9.90', '12.50'], [1, '5', '5']]); // prettier-ignore
  });

  it('reports variations whose product is not in the file', async () => {
    const shop = await harness.createShop();
    const report = await shop.import(
      csv(minimal, '1,simple,A,A,,1,', '2,variation,,B,,1,id:7', '3,variation,,B,,1,GONE'),
    );
    expect(report.warnings).toContainEqual(
      `${report.files[0]?.file}: 2 variations were not read, because the file does not have their products ("id:7" in line 3, "GONE" in line 4)`,
    );
    expect(report.products.read).toBe(1);
  });

  it('shows no e-mail address of such a product', async () => {
    const shop = await harness.createShop();
    const parent = `${'x'.repeat(52)}bob@example.com`;
    const report = await shop.import(csv(minimal, '1,simple,A,A,,1,', `2,variation,,B,,1,${parent}`));
    expect(report.warnings.join()).toContain('[e-mail address]');
    expect(report.warnings.join()).not.toMatch(/bob/);
  });

  it.each([
    ['decimal commas', ['"9,90"', '"1,250"'], ['9.90', '1.250']],
    ['decimal points', ['9.90', '1.250'], ['9.90', '1.250']],
  ])('reads prices with %s', async (_, [sale, regular], expected) => {
    const shop = await harness.createShop();
    await shop.import(csv(minimal, `1,simple,A,A,${sale},${regular},`));
    expect(await shop.values('variants', 'price', 'compare_at_price')).toEqual([expected]);
  });

  it.each([
    ['both decimal signs', [minimal, '1,simple,A,A,"9,90",12.50,'], 'file, line 2, column "Sale price": expected a number with a decimal point, as in line 2 (choose with --decimal comma or --decimal point), got "9,90"'],
    ['no id', [minimal, ',simple,A,A,,1,'], 'file, line 2, column "ID": expected the ID of the product on every row, got ""'],
    ['an id twice', [minimal, '1,simple,A,A,,1,', '1,simple,B,B,,1,'], 'file, line 3: product "1" already appears in line 2'],
    ['no name', [minimal, '1,simple,A,,,1,'], 'file, line 2, column "Name": expected a name, got ""'],
    ['a variation without a product', [minimal, '1,variation,A,A,,1,'], 'file, line 2, column "Parent": expected the SKU or id of the product of a variation, got ""'],
    ['a state', ['ID,Type,Name,Published', '1,simple,A,2'], 'file, line 2, column "Published": expected 1 (published), 0 (private) or -1 (draft), got "2"'],
    ['a unit of weights', ['ID,Type,Name,Published,Weight (stone)', '1,simple,A,1,2'], 'file, line 1, column "Weight (stone)": expected a unit of kg, g, lbs or oz in the name of the column'],
  ])('rejects %s, and writes nothing', async (_, rows, message) => {
    const shop = await harness.createShop();
    expect(await shop.refusal(csv(...rows))).toBe(message);
    expect(await shop.rows('products')).toEqual([]);
  }); // prettier-ignore

  it('reads every catalog that it can represent unchanged', async () => {
    const shape = fc.record({
      language: fc.constantFrom(...languages),
      products: fc.array(product, { maxLength: 4 }),
      decimal: fc.constantFrom('.', ','),
      parentsBySku: fc.boolean(),
      shuffle: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ language, products: drawn, ...options }) => {
        const products = withIds(drawn);
        const shop = await harness.createShop();
        await shop.import(writeExport(language, products, options));
        expect(await catalogOf(shop)).toEqual(products.map(toStored));
        const collections = (await shop.values('collections', 'title', 'products_count')) as [string, number][];
        expect(collections.flatMap(([title, count]) => Array<string>(count).fill(title)).toSorted()).toEqual(
          toCollections(products),
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe('values that are held until a file is read', () => {
  it('are returned unchanged, from memory and from the temporary file', async () => {
    const values = Array.from({ length: 3000 }, (_, index) => ({ index, text: 'ü'.repeat(index % 900) }));
    const held = new SpillBuffer<(typeof values)[number]>(10_000);
    for (const value of values) expect(await held.add(value)).toBe(value.index);
    for (const index of [2999, 0, 1500, 42, 43, 44]) {
      expect(await held.get(index)).toEqual(values[index]);
      expect(held.sizeOf(index)).toBe(Buffer.byteLength(JSON.stringify(values[index])));
    }
    await held.add({ index: 3000, text: '' });
    expect(await held.get(3000)).toEqual({ index: 3000, text: '' });
    await held.close();
  });
});

const mug: WooProduct = {
  id: '1', sku: 'MUG', title: 'Mug & Saucer', published: '1', vendor: 'Kiln', categories: [['Kitchen', 'Mugs']], tags: ['new, hot', 'sale'],
  description: 'one\ntwo \\n', image: 'https://a.example/1.jpg', attributes: ['Size', 'Colour'],
  variants: [
    { id: '2', sku: '-2', barcode: '4006381333931', price: '9.90', compareAtPrice: '12.50', stock: '7', weight: '1.5', image: null, options: ['L', 'Red, dark'] },
    { id: '3', sku: null, barcode: null, price: '12.50', compareAtPrice: null, stock: null, weight: '0.25', image: 'https://a.example/m.jpg', options: ['M', null] },
  ],
}; // prettier-ignore

const plate: WooProduct = {
  id: '9', sku: null, title: 'Plate', published: '0', vendor: null, categories: [], tags: [], description: null, image: null, attributes: [],
  variants: [{ id: '9', sku: 'PLATE', barcode: null, price: '5', compareAtPrice: null, stock: '-1', weight: null, image: null, options: [] }],
}; // prettier-ignore

/**
 * Texts with everything that the exporter escapes; it writes a backslash before a line end as it writes `\\n`. Names
 * have no surrounding whitespace.
 */
const text = fc
  .array(fc.constantFrom('a', 'Ö', '-', '=', '@', '+', ',', '\\', 'n', '\n', '"', '&', '<b>', ';', ' ', '1', '&amp', 'é', '🏺', '>'), { maxLength: 8 })
  .map((parts) => parts.join('')); // prettier-ignore
const word = text.map((value) => value.replace(/[\n\\]/g, '').trim());
const name = word.filter((value) => value !== '');
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });
const amount = fc
  .tuple(fc.nat(99_999), fc.constantFrom('', '.5', '.90', '.125'))
  .map(([whole, rest]) => `${whole}${rest}`);
const address = fc.nat(999).map((number) => `https://a.example/${number},x.jpg`);
const distinct = (arbitrary: fc.Arbitrary<string>) => fc.uniqueArray(arbitrary, { maxLength: 3 });

const variant = fc.record({
  sku: optional(fc.nat(1e6).map((number) => `-S${number}`)),
  barcode: optional(fc.constantFrom('4006381333931', '00012345678905')),
  price: optional(amount),
  compareAtPrice: optional(amount),
  stock: optional(fc.integer({ min: -99, max: 99_999 }).map(String)),
  weight: optional(amount),
  image: optional(address),
  options: fc.tuple(optional(name), optional(name)),
});

const product = fc.record({
  title: name,
  published: fc.constantFrom('1', '0', '-1'),
  vendor: optional(name),
  categories: fc.uniqueArray(fc.array(name, { minLength: 1, maxLength: 3 }), {
    maxLength: 3,
    selector: (path) => JSON.stringify(path),
  }),
  tags: distinct(name),
  description: optional(text.filter((value) => value.trim() !== '' && !value.includes('\\\n'))),
  image: optional(address),
  sku: fc.boolean(),
  attributes: fc.constantFrom<readonly string[]>([], ['Size'], ['Größe & Form', 'Farbe, innen']),
  variants: fc.array(variant, { minLength: 1, maxLength: 3 }),
});

type Drawn = ReturnType<(typeof product)['generate']>['value'];

/**
 * Without attributes a product has one variant, which has its id and no separate image; a compare-at price needs a
 * price.
 */
function withIds(drawn: readonly Drawn[]): WooProduct[] {
  return drawn.map((given, index) => {
    const id = String((index + 1) * 10);
    const isSimple = given.attributes.length === 0;
    return {
      ...given,
      id,
      sku: isSimple || !given.sku ? null : `P-${id}`,
      variants: given.variants.slice(0, isSimple ? 1 : 3).map((each, at) => ({
        ...each,
        id: isSimple ? id : `${id}${at}`,
        compareAtPrice: each.price === null ? null : each.compareAtPrice,
        image: isSimple ? null : each.image,
        options: each.options.slice(0, given.attributes.length),
      })),
    };
  });
}

type Shop = Awaited<ReturnType<ImportHarness['createShop']>>;

/** The products of a shop, in the order of its lists. */
async function catalogOf(shop: Shop): Promise<unknown[]> {
  const variants = await shop.rows('variants');
  const products = await shop.rows('products');
  return products
    .toSorted((a, b) => (String(a['created_at']) < String(b['created_at']) ? -1 : 1))
    .map(({ id, external_id, title, status, published_at, vendor, product_type, tags, description_html, image_url }) => ({
      external_id, title, status, isPublished: published_at !== null, vendor, product_type, tags, description_html, image_url,
      variants: variants
        .filter(({ product_id }) => product_id === id)
        .toSorted((a, b) => Number(a['position']) - Number(b['position']))
        .map(({ external_id: of, title: name, sku, barcode, price, compare_at_price, inventory_quantity, weight, weight_unit, image_url: image, options }) => (
          { external_id: of, title: name, sku, barcode, price, compare_at_price, inventory_quantity, weight, weight_unit, image_url: image, options })),
    })); // prettier-ignore
}

const toStored = (product: WooProduct): unknown => {
  const { id, title, published, vendor, categories, tags, description, image, attributes, variants } = product;
  const deepest = Math.max(...categories.map((path) => path.length));
  return {
    external_id: id, title, status: published === '1' ? 'ACTIVE' : 'DRAFT', isPublished: published === '1', vendor,
    product_type: categories.find((path) => path.length === deepest)?.at(-1) ?? null, tags, description_html: description, image_url: image,
    variants: variants.map(({ id: of, sku, barcode, price, compareAtPrice, stock, weight, image: own, options }) => {
      const values = options.filter((option) => option !== null);
      return {
        external_id: of, title: attributes.length === 0 ? 'Default Title' : values.length === 0 ? title : values.join(' / '),
        sku, barcode, price, compare_at_price: compareAtPrice, inventory_quantity: stock === null ? null : Number(stock), weight,
        weight_unit: weight === null ? null : 'kg', image_url: own,
        options: options.flatMap((value, at) => (value === null ? [] : [{ name: attributes[at], value }])),
      };
    }),
  }; // prettier-ignore
};

/** The categories with the number of their products. */
const toCollections = (products: readonly WooProduct[]): string[] => {
  const paths = products.flatMap(({ categories }) => categories.map((path) => path.at(-1) ?? ''));
  return paths.toSorted();
};
