import { SpillBuffer } from '../../src/ingest/source/spill-buffer';
import { useImportHarness, type ImportHarness } from './import-harness';
import { csv as toCsv, workbook } from './make-files';
import { languages, writeRows, type WooProduct } from './woocommerce-export';
import { fc } from '../support/properties';

const harness = useImportHarness();

describe("importing WooCommerce's product CSV", () => {
  it('reads every catalog that it can represent unchanged', async () => {
    const shape = fc.record({
      language: fc.constantFrom(...languages),
      products: fc.array(product, { maxLength: 4 }),
      decimal: fc.constantFrom('.', ','),
      parentsBySku: fc.boolean(),
      shuffle: fc.nat(),
      write: fc.constantFrom(
        ...[',', ';', '\t'].map((sign) => (rows: string[][]) => toCsv(rows, sign, '\n')),
        (rows: string[][]) => workbook({ sheets: [{ name: 'Produkte', rows }] }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ language, products: drawn, write, ...options }) => {
        const products = withIds(drawn);
        const shop = await harness.createShop();
        await shop.import(write(writeRows(language, products, options)));
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

/**
 * Texts with everything that the exporter escapes. It writes a backslash before a line end as `\\n`. Names have no
 * surrounding whitespace.
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
 * Without attributes, a product has one variant, with its id and without a separate image. A compare-at price needs a
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

/** The products of a shop, in list order. */
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

/** The categories with their numbers of products. */
const toCollections = (products: readonly WooProduct[]): string[] => {
  const paths = products.flatMap(({ categories }) => categories.map((path) => path.at(-1) ?? ''));
  return paths.toSorted();
};
