import { gzipSync } from 'node:zlib';
import { type ShopUnderImport, useImportHarness } from './import-harness';
import { fc } from '../support/properties';

const harness = useImportHarness();

const everything = { replace: true, allowRemoving: { percent: 100 } } as const;

/** A product as this service stores it: a test writes every kind of file from it, and the import must restore it. */
interface Product {
  readonly id: string;
  readonly title: string;
  readonly handle: string;
  readonly body: string | null;
  readonly vendor: string | null;
  readonly type: string | null;
  readonly tags: readonly string[];
  readonly status: 'ACTIVE' | 'DRAFT' | 'ARCHIVED';
  readonly image: string | null;
  readonly seo: string | null;
  readonly publishedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly variants: readonly Variant[];
}

interface Variant {
  readonly id: string;
  readonly sku: string | null;
  readonly price: string;
  readonly compareAt: string | null;
  readonly cost: string | null;
  readonly quantity: number | null;
  readonly weight: string;
  readonly unit: 'g' | 'kg' | 'lb' | 'oz';
  readonly values: readonly string[];
  readonly createdAt: string;
}

const word = fc.stringMatching(/^[a-zé🏺"\\[\]{}:]{1,6}$/u);
const nullable = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> => fc.option(value, { nil: null });
const moment = fc
  .date({ min: new Date('2010-01-01T00:00:00Z'), max: new Date('2026-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => new Date(Math.floor(date.getTime() / 1000) * 1000).toISOString());
const amount = fc.stringMatching(/^(?:0|[1-9][0-9]{0,4})(?:\.[0-9]{1,3})?$/);
const id = fc.bigInt(1n, 99_999_999_999_999n).map(String);

const variantArb: fc.Arbitrary<Variant> = fc.record({
  id,
  sku: nullable(word),
  price: amount,
  compareAt: nullable(amount),
  cost: nullable(amount),
  quantity: nullable(fc.integer({ min: -5, max: 5_000 })),
  weight: amount,
  unit: fc.constantFrom('g', 'kg', 'lb', 'oz'),
  values: fc.array(word, { minLength: 0, maxLength: 3 }),
  createdAt: moment,
});
const anyProduct: fc.Arbitrary<Product> = fc.record({
  id,
  title: word,
  handle: word,
  body: nullable(word),
  vendor: nullable(word),
  type: nullable(word),
  tags: fc.uniqueArray(word, { maxLength: 3 }),
  status: fc.constantFrom('ACTIVE', 'DRAFT', 'ARCHIVED'),
  image: nullable(word),
  seo: nullable(word),
  publishedAt: nullable(moment),
  createdAt: moment,
  updatedAt: moment,
  variants: fc.uniqueArray(variantArb, { minLength: 1, maxLength: 4, selector: (variant) => variant.id }),
});
/** Platforms do not change a product before it exists. */
const productArb = anyProduct.map((product) => {
  const created = [product.createdAt, ...product.variants.map(({ createdAt }) => createdAt)];
  return { ...product, updatedAt: [product.updatedAt, ...created].sort().at(-1) ?? '' };
});
const catalogs = fc
  .uniqueArray(productArb, { minLength: 1, maxLength: 5, selector: (product) => product.id })
  .filter((products) => {
    const ids = products.flatMap(({ variants }) => variants.map((variant) => variant.id));
    return new Set(ids).size === ids.length;
  });

const offset = (text: string | null): string | null => text && text.replace('.000Z', '+00:00');
/** Numbers as the API writes them, with ids unquoted. */
const number = (digits: string): string => `\u0007${digits}\u0007`;
const json = (value: unknown, indent = 0): string => JSON.stringify(value, null, indent).replace(/"\\u0007([^"]*?)\\u0007"/g, '$1'); // prettier-ignore

const rest = ({ variants, ...product }: Product): object => ({
  id: number(product.id),
  title: product.title,
  body_html: product.body,
  vendor: product.vendor ?? '',
  product_type: product.type ?? '',
  created_at: offset(product.createdAt),
  handle: product.handle,
  updated_at: offset(product.updatedAt),
  published_at: offset(product.publishedAt),
  template_suffix: null,
  status: product.status.toLowerCase(),
  tags: product.tags.join(', '),
  admin_graphql_api_id: `gid://shopify/Product/${product.id}`,
  variants: variants.map((variant, index) => ({
    id: number(variant.id),
    product_id: number(product.id),
    title: titleOf(variant),
    price: variant.price,
    position: index + 1,
    compare_at_price: variant.compareAt,
    option1: variant.values[0] ?? 'Default Title',
    option2: variant.values[1] ?? null,
    option3: variant.values[2] ?? null,
    created_at: offset(variant.createdAt),
    updated_at: offset(product.updatedAt),
    barcode: '',
    sku: variant.sku ?? '',
    weight: number(variant.weight),
    weight_unit: variant.unit,
    inventory_management: variant.quantity === null ? null : 'shopify',
    inventory_quantity: variant.quantity ?? 0,
    image_id: index === 0 && product.image !== null ? number('7') : null,
  })),
  options: [1, 2, 3].map((position) => ({ id: position, name: `O${position}`, position, values: [] })),
  images: product.image === null ? [] : [{ id: number('7'), position: 1, src: product.image, variant_ids: [] }],
  image: product.image === null ? null : { id: number('7'), src: product.image },
});

const titleOf = ({ values }: Variant): string => (values.length === 0 ? 'Default Title' : values.join(' / '));
const units = { g: 'GRAMS', kg: 'KILOGRAMS', lb: 'POUNDS', oz: 'OUNCES' } as const;
const slashed = (text: string): string => text.replaceAll('/', '\\/');

function bulk(products: readonly Product[]): string {
  const all = products.flatMap(({ variants, ...product }) => [
    {
      id: `gid://shopify/Product/${product.id}`,
      title: product.title,
      handle: product.handle,
      descriptionHtml: product.body ?? '',
      vendor: product.vendor ?? '',
      productType: product.type ?? '',
      tags: product.tags,
      status: product.status,
      seo: { title: product.seo, description: null },
      featuredMedia: product.image === null ? null : { preview: { image: { url: product.image } } },
      publishedAt: product.publishedAt,
      createdAt: product.createdAt,
      updatedAt: product.updatedAt,
    },
    ...variants.flatMap((variant, index) => [
      {
        id: `gid://shopify/ProductVariant/${variant.id}`,
        title: titleOf(variant),
        sku: variant.sku,
        barcode: null,
        price: variant.price,
        compareAtPrice: variant.compareAt,
        position: index + 1,
        inventoryQuantity: variant.quantity ?? 0,
        inventoryItem: {
          tracked: variant.quantity !== null,
          unitCost: variant.cost === null ? null : { amount: variant.cost },
          measurement: { weight: { value: number(variant.weight), unit: units[variant.unit] } },
        },
        image: index === 0 && product.image !== null ? { url: product.image } : null,
        selectedOptions:
          variant.values.length === 0
            ? [{ name: 'Title', value: 'Default Title' }]
            : variant.values.map((value, at) => ({ name: `O${at + 1}`, value })),
        createdAt: variant.createdAt,
        updatedAt: product.updatedAt,
        __parentId: `gid://shopify/Product/${product.id}`,
      },
      {
        id: `gid://shopify/Metafield/${variant.id}`,
        value: 'x',
        __parentId: `gid://shopify/ProductVariant/${variant.id}`,
      },
    ]),
  ]);
  return all.map((object) => `${slashed(json(object))}\n`).join('');
}

const writers: readonly (readonly [name: string, write: (products: readonly Product[]) => string])[] = [
  ['{"products": […]}', (products) => json({ products: products.map(rest) })],
  ['an array', (products) => json(products.map(rest), 2)],
  ['lines', (products) => products.map((product) => `${json(rest(product))}\n`).join('')],
  ['pages', (products) => products.map((product) => json({ products: [rest(product)] }, 1)).join('\n')],
  ['single products', (products) => products.map((product) => json({ product: rest(product) })).join('\n')],
  ['a bulk operation', bulk],
];

/** The expected stored form of a catalog. The REST API has neither costs nor SEO texts. */
const stored = (products: readonly Product[], isBulk: boolean): object[] =>
  products
    .map(({ variants, ...product }) => ({
      external_id: product.id,
      title: product.title,
      handle: product.handle,
      status: product.status,
      vendor: product.vendor,
      product_type: product.type,
      tags: product.tags,
      description_html: product.body,
      image_url: product.image,
      seo_title: isBulk ? product.seo : null,
      published_at: product.publishedAt,
      created_at: product.createdAt,
      updated_at: product.updatedAt,
      variants: variants
        .map((variant, index) => ({
          external_id: variant.id,
          title: titleOf(variant),
          sku: variant.sku,
          price: variant.price,
          compare_at_price: variant.compareAt,
          cost_price: isBulk ? variant.cost : null,
          inventory_quantity: variant.quantity,
          weight: variant.weight,
          weight_unit: variant.unit,
          position: index + 1,
          image_url: index === 0 ? product.image : null,
          options: variant.values.map((value, at) => ({ name: `O${at + 1}`, value })),
          created_at: variant.createdAt,
        }))
        .sort(byId),
    }))
    .sort(byId);

const byId = (a: { external_id: string }, b: { external_id: string }): number => (a.external_id < b.external_id ? -1 : 1); // prettier-ignore

async function readBack(shop: ShopUnderImport, like: object[]): Promise<object[]> {
  const variants = await shop.rows('variants');
  const pick = (row: Record<string, unknown>, names: string[]): Record<string, unknown> =>
    Object.fromEntries(
      names.map((name) => {
        const value = row[name];
        return [name, name.endsWith('_at') && typeof value === 'string' ? new Date(value).toISOString() : value];
      }),
    );
  const [first] = like as Record<string, unknown>[];
  const productNames = Object.keys(first ?? {}).filter((name) => name !== 'variants');
  const variantNames = Object.keys((first?.['variants'] as object[])[0] ?? {});
  return (await shop.rows('products'))
    .filter((row) => row['deleted_at'] === null)
    .map((row) => ({
      ...pick(row, productNames),
      variants: variants
        .filter((variant) => variant['product_id'] === row['id'])
        .map((variant) => pick(variant, variantNames) as { external_id: string })
        .sort(byId),
    }))
    .map((row) => row as unknown as { external_id: string })
    .sort(byId);
}

describe('a catalog', () => {
  it.each(writers)('is imported unchanged from %s', async (_, write) => {
    await fc.assert(
      fc.asyncProperty(catalogs, async (products) => {
        const shop = await harness.createShop();
        const content = write(products);
        const report = await shop.import(content, everything);
        const expected = stored(products, write === bulk);
        expect(await readBack(shop, expected)).toEqual(expected);
        expect(report.warnings).toEqual([]);
        const again = await shop.import(gzipSync(content), everything);
        expect(again.products).toMatchObject({ unchanged: products.length, created: 0, updated: 0 });
        expect(again.variants).toMatchObject({ created: 0, updated: 0, removed: 0 });
      }),
      { numRuns: 12 },
    );
  });
});
