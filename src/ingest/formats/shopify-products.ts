import type { Format, ReadContext } from './format';
import { SourceLocation } from '../values/import-error';
import {
  optionNumbers,
  type AbsentFromProducts,
  type OptionCount,
  type ProductRecord,
  type ProductValues,
  type UnpositionedVariant,
  type VariantOfRow,
} from './record';
import type { VariantOption } from '../../catalog/model';
import type { SourceFile } from '../source/source-file';
import { requireBoolean } from '../values/boolean';
import { fromGrams } from '../values/weight';
import { checkIndexedText } from '../values/text';
import { positionBounds, safeBounds } from '../values/numbers';
import { CsvColumns, absentColumns, readRows, type CsvCells } from './csv-columns';
import { FirstLines } from './first-lines';
import { toImage } from './lists';
import { ProductOfRows } from './product-of-rows';
import { type ColumnNames, explainTable, from, computed, absent, ObjectRules, toAbsent } from './rules';
import { optionColumns, optionsIn, shopifyUrl, toStatus } from './shopify-product';

/**
 * Shopify's classic header first, then that of 2025 where it differs, then older ones. Google, metafield and market
 * columns are not read.
 */
const columnNames = {
  handle: ['Handle', 'URL handle'],
  title: ['Title'],
  body: ['Body (HTML)', 'Description'],
  vendor: ['Vendor'],
  type: ['Type', 'Type', 'Custom Product Type'],
  tags: ['Tags'],
  published: ['Published', 'Published on online store'],
  status: ['Status'],
  ...optionColumns,
  sku: ['Variant SKU', 'SKU'],
  grams: ['Variant Grams', 'Weight value (grams)'],
  weightUnit: ['Variant Weight Unit', 'Weight unit for display'],
  tracker: ['Variant Inventory Tracker', 'Inventory tracker'],
  quantity: ['Variant Inventory Qty', 'Inventory quantity'],
  price: ['Variant Price', 'Price'],
  compareAtPrice: ['Variant Compare At Price', 'Compare-at price'],
  cost: ['Cost per item'],
  barcode: ['Variant Barcode', 'Barcode'],
  imageSource: ['Image Src', 'Product image URL'],
  imagePosition: ['Image Position'],
  imageAltText: ['Image Alt Text'],
  variantImage: ['Variant Image', 'Variant image URL'],
  seoTitle: ['SEO Title'],
  seoDescription: ['SEO Description'],
} as const;

type ProductColumn = keyof typeof columnNames;
type Cells = CsvCells<ProductColumn>;
type Columns = CsvColumns<ProductColumn>;

const names: ColumnNames<ProductColumn> = columnNames;
const own = ['Variant Price', 'URL handle', 'Option1 Value'];

interface AroundProduct {
  readonly handle: string;
  readonly published: boolean;
  readonly domain: string;
}

const productRules = new ObjectRules<Cells, Omit<ProductValues, 'published'>, AroundProduct>('products', {
  external_id: computed(
    ['handle'],
    (cells, { handle }) => cells.parsed('handle', (_, at) => checkIndexedText(`handle:${handle}`, at)) ?? '',
  ),
  title: computed(['title'], (cells, { handle }: AroundProduct) =>
    cells.requiredText('title', `a title on the first row of handle ${JSON.stringify(handle)}`),
  ),
  handle: computed(['handle'], (_, { handle }) => handle),
  // Older files have no status, and the oldest have no Published either. An unlisted product is for sale to anyone who
  // has its link.
  status: {
    names: ['status', 'published'],
    areAlternatives: true,
    read: (cells, _, { published }) =>
      cells.parsed('status', toStatus) ?? (published || !cells.provides('published') ? 'ACTIVE' : 'DRAFT'),
    isProvided: (file) => file.provides('status'),
  },
  vendor: from('vendor'),
  product_type: from('type'),
  tags: from('tags'),
  description_html: from('body'),
  seo_title: from('seoTitle'),
  seo_description: from('seoDescription'),
  image_url: computed(['imageSource'], () => null),
  published_at: computed(['published'], () => null),
  created_at: absent(),
  updated_at: absent(),
  url: {
    ...computed(['handle', 'published'], (cells: Cells, { handle, published, domain }: AroundProduct) =>
      published || !cells.provides('published') ? shopifyUrl(domain, handle) : null,
    ),
    isProvided: (file) => file.provides('published'),
  },
  images: {
    ...computed(['imageSource', 'imagePosition', 'imageAltText'], () => []),
    isProvided: (file) => file.provides('imageSource'),
  },
});

const optionMembers = Object.keys(optionColumns) as (keyof typeof optionColumns)[];
const variantRules = new ObjectRules<Cells, VariantOfRow, readonly VariantOption[]>('variants', {
  external_id: absent(),
  // The title of a variant is its option values, and variants that cannot be distinguished have no order.
  title: { ...absent(), isProvided: (file) => countOptionValues(file) === 3 },
  sku: from('sku'),
  barcode: from('barcode'),
  price: from('price'),
  compare_at_price: from('compareAtPrice'),
  cost_price: from('cost'),
  inventory_quantity: computed(['quantity'], (cells) =>
    cells.text('tracker') !== null || !cells.provides('tracker') ? cells.wholeNumber('quantity', safeBounds) : null,
  ),
  weight: computed(['grams'], weightOf),
  weight_unit: {
    ...computed(['weightUnit'], (cells: Cells) =>
      cells.text('grams') === null ? null : (cells.trimmed('weightUnit') ?? 'g').toLowerCase(),
    ),
    isProvided: (file) => file.provides('grams'),
  },
  position: { ...absent(), isProvided: (file) => countOptionValues(file) > 0 },
  image_url: computed(['variantImage'], (cells) => cells.trimmed('variantImage')),
  options: {
    ...computed(optionMembers, (_, options: readonly VariantOption[]) => options),
    isProvided: (file) => {
      const count = countOptionValues(file);
      return count > 0 && optionNumbers.slice(0, count).every((number) => file.provides(`option${number}Name`));
    },
  },
  created_at: absent(),
  updated_at: absent(),
});

/** In the unit of its column, which must be one of four. */
function weightOf(cells: Cells): string | null {
  const grams = cells.decimal('grams');
  if (grams === null) return null;
  return cells.check(() => fromGrams(grams, cells.trimmed('weightUnit'), cells.at('weightUnit')));
}

/** Shopify's product CSV, classic and new headers. A product is the consecutive rows of one handle. */
export const shopifyProducts: Format<'shopify-products'> = {
  name: 'shopify-products',
  kinds: ['product'],
  explains: explainTable([productRules, variantRules], names, {
    published: 'published_at; status, if there is no column for it',
    tracker: 'variants.inventory_quantity: null if it is blank',
  }),
  // The last one is specific to Shopify: many tables have a handle, a title and a price.
  absentFrom: (sample) => absentColumns([names.handle, names.title, names.price, own], sample),
  read,
};

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<ProductRecord, void, void> {
  let absent: AbsentFromProducts | undefined;
  let product: ShopifyProduct | undefined;
  const firstLines = new FirstLines();
  const rows = readRows(source, (header) => {
    const columns = new CsvColumns(source.name, header, names, context);
    absent = absentFrom(columns, new SourceLocation(source.name, header.line));
    return columns;
  });
  for await (const cells of rows) {
    const handle = cells.identity('handle', "the product's handle on every row");
    if (handle === null) continue;
    const isFirst = handle !== product?.handle;
    if (isFirst) {
      if (product) yield product.finish(absent);
      firstLines.begin(handle, cells.location, context.problems, 'handle', '');
      product = new ShopifyProduct(handle, cells, source.name, context);
    }
    product?.addRow(cells, isFirst);
  }
  if (product) yield product.finish(absent);
}

/** @throws ImportError when there is a gap in its option columns */
function absentFrom(columns: Columns, header: SourceLocation): AbsentFromProducts {
  const optionValues = countOptionValues(columns);
  const behind = optionNumbers.find((number) => number > optionValues && columns.provides(`option${number}Value`));
  if (behind !== undefined) {
    throw header.fault(`missing column "Option${optionValues + 1} Value": the file has "Option${behind} Value"`);
  }
  const weightUnit = columns.provides('grams') && !columns.provides('weightUnit');
  return toAbsent(productRules.absentFrom([columns]), variantRules.absentFrom([columns]), { weightUnit, optionValues });
}

/** The number of option values in the rows of a file. */
function countOptionValues(file: { provides(name: string): boolean }): OptionCount {
  const first = optionNumbers.find((number) => !file.provides(`option${number}Value`)) ?? 4;
  return (first - 1) as OptionCount;
}

const toValues = (cells: Cells, handle: string, domain: string): ProductValues => {
  const published = cells.parsed('published', (word, at) => requireBoolean(word, at)) ?? false;
  return { ...productRules.read(cells, { handle, published, domain }), published };
};

/**
 * The rows of one handle. The first row is the product, its first variant and its first image. Each further row is a
 * variant when it has a price, SKU, barcode, quantity or option, and may carry one more image.
 */
class ShopifyProduct extends ProductOfRows {
  readonly #optionNames: readonly (string | null)[];

  constructor(
    readonly handle: string,
    first: Cells,
    file: string,
    { problems, domain }: ReadContext,
  ) {
    super(first.row.line, toValues(first, handle, domain), () => undefined, { file, problems });
    this.#optionNames = optionNumbers.map((number) => first.trimmed(`option${number}Name`));
  }

  addRow(cells: Cells, isFirst: boolean): void {
    const hasOption = optionNumbers.some((n) => cells.text(`option${n}Value`) !== null);
    const hasOffer = (['price', 'sku', 'barcode', 'quantity'] as const).some((name) => cells.text(name) !== null);
    const isVariant = isFirst || hasOption || hasOffer;
    if (!isFirst && !hasOption && hasOffer && cells.provides('option1Value'))
      cells.report(
        cells.at('option1Value').refuse('', 'a value, because the row has a price, SKU, barcode or quantity'),
      );
    const { line } = cells.row;
    const read = (): UnpositionedVariant => ({
      line,
      ...variantRules.read(cells, optionsIn(cells, this.#optionNames)),
    });
    if (isVariant) this.add(read, line, cells.size);
    const url = cells.trimmed('imageSource');
    if (url === null) return;
    const position = cells.wholeNumber('imagePosition', positionBounds);
    this.addImages(toImage(url, cells.trimmed('imageAltText'), position), line);
  }
}
