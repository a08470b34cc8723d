import { descriptions } from './descriptions';
import type { Format, ReadContext } from './format';
import { SourceLocation } from '../values/import-error';
import {
  optionNumbers,
  type AbsentFromProducts,
  type OptionCount,
  type ProductRecord,
  type ProductValues,
  type VariantValues,
} from './record';
import type { VariantOption } from '../../catalog/model';
import type { SourceFile } from '../source/source-file';
import { requireBoolean } from '../values/boolean';
import { fromGrams } from '../values/weight';
import { checkIndexedText } from '../values/text';
import { positionBounds, safeBounds } from '../values/whole-number';
import { CsvColumns, lackedColumns, readRows, type ColumnNames, type CsvCells } from './csv-columns';
import { FirstLines } from './first-lines';
import { always, explainTable, from, made, never, ObjectRules } from './rules';
import { optionColumns, optionsIn, titleOf, toStatus, toVariantId } from './shopify-product';
import { VariantRows } from './variant-rows';

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
  variantImage: ['Variant Image', 'Variant image URL'],
  seoTitle: ['SEO Title'],
  seoDescription: ['SEO Description'],
} as const;

type ProductColumn = keyof typeof columnNames;
type Cells = CsvCells<ProductColumn>;
type Columns = CsvColumns<ProductColumn>;

const names: ColumnNames<ProductColumn> = columnNames;
const own = ['Variant Price', 'URL handle', 'Option1 Value'];

const productRules = new ObjectRules<Cells, Omit<ProductValues, 'published'>, ShopifyProduct>('products', {
  external_id: made(
    ['handle'],
    (cells, { handle }) => cells.parsed('handle', (_, at) => checkIndexedText(`handle:${handle}`, at)) ?? '',
  ),
  title: made(['title'], (cells, { handle }: ShopifyProduct) =>
    cells.requiredText('title', `a title on the first row of handle ${JSON.stringify(handle)}`),
  ),
  handle: made(['handle'], (_, { handle }) => handle),
  // Older files have no status, and the oldest have no Published either. An unlisted product is for sale to anyone who
  // has its link.
  status: {
    names: ['status', 'published'],
    areAlternatives: true,
    read: (cells, _, { isPublished }) =>
      cells.parsed('status', toStatus) ?? (isPublished || !cells.has('published') ? 'ACTIVE' : 'DRAFT'),
    isProvided: (file) => file.provides('status'),
  },
  vendor: from('vendor'),
  product_type: from('type'),
  tags: from('tags'),
  description_html: from('body'),
  seo_title: from('seoTitle'),
  seo_description: from('seoDescription'),
  image_url: made(['imageSource'], (_, { imageUrl }) => imageUrl),
  published_at: made(['published'], () => null),
  created_at: never(),
  updated_at: never(),
});

interface VariantRow {
  readonly externalId: string;
  readonly options: readonly VariantOption[];
  readonly position: number;
}

const optionMembers = Object.keys(optionColumns) as (keyof typeof optionColumns)[];
const variantRules = new ObjectRules<Cells, VariantValues, VariantRow>(
  'variants',
  {
    external_id: always((_, { externalId }: VariantRow) => externalId),
    // The title of a variant is its option values, and variants that cannot be distinguished have no order.
    title: {
      ...made([], (_, { options }: VariantRow) => titleOf(options)),
      isProvided: (file) => countOptionValues(file) === 3,
    },
    sku: from('sku'),
    // A leading apostrophe keeps spreadsheets from turning the digits into a number.
    barcode: made(['barcode'], (cells) => cells.word('barcode')?.replace(/^'/, '') ?? null),
    price: from('price'),
    compare_at_price: from('compareAtPrice'),
    cost_price: from('cost'),
    inventory_quantity: made(['quantity'], (cells) =>
      cells.text('tracker') !== null || !cells.has('tracker') ? cells.wholeNumber('quantity', safeBounds) : null,
    ),
    weight: made(['grams'], weightOf),
    weight_unit: {
      ...made(['weightUnit'], (cells: Cells) =>
        cells.text('grams') === null ? null : (cells.word('weightUnit') ?? 'g').toLowerCase(),
      ),
      isProvided: (file) => file.provides('grams'),
    },
    position: {
      ...made([], (_, { position }: VariantRow) => String(position)),
      isProvided: (file) => countOptionValues(file) > 0,
    },
    image_url: made(['variantImage'], (cells) => cells.word('variantImage')),
    options: {
      ...made(optionMembers, (_, { options }: VariantRow) => options),
      isProvided: (file) => {
        const count = countOptionValues(file);
        return count > 0 && optionNumbers.slice(0, count).every((number) => file.provides(`option${number}Name`));
      },
    },
    created_at: never(),
    updated_at: never(),
  },
  { field: 'variants.' },
);

/** In the unit beside it, of which any other than four is refused here. */
function weightOf(cells: Cells): string | null {
  const grams = cells.decimal('grams');
  if (grams === null) return null;
  return cells.check(() => fromGrams(grams, cells.word('weightUnit'), cells.at('weightUnit')).weight);
}

/** Shopify's product CSV, classic and new headers. A product is the consecutive rows of one handle. */
export const shopifyProducts: Format<'shopify-products'> = {
  name: 'shopify-products',
  description: descriptions['shopify-products'],
  kinds: ['product'],
  explains: explainTable([productRules, variantRules], names, {
    published: 'published_at; status, without a column of it',
    tracker: 'variants.inventory_quantity: null where it is blank',
    imagePosition: 'which image is image_url',
  }),
  // The last is what no other shop's table has: many have a handle, a title and a price.
  lacks: (sample) => lackedColumns([names.handle, names.title, names.price, own], sample),
  read,
};

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<ProductRecord, void, void> {
  let absent: AbsentFromProducts | undefined;
  let product: ShopifyProduct | undefined;
  const firstLines = new FirstLines();
  const rows = readRows(source, (header) => {
    const columns = new CsvColumns(source.name, header, names, context);
    absent = toAbsent(columns, new SourceLocation(source.name, header.line));
    return columns;
  });
  for await (const cells of rows) {
    const handle = requiredHandle(cells);
    if (handle === null) continue;
    if (handle === product?.handle) {
      product.add(cells);
      continue;
    }
    if (product) yield product.finish(absent);
    const location = new SourceLocation(source.name, cells.row.line);
    const earlier = firstLines.note(handle, location);
    if (earlier !== undefined) {
      cells.report(
        location.fault(
          `handle ${JSON.stringify(handle)} reappears: its rows began in line ${earlier} and must be consecutive`,
        ),
      );
    }
    product = new ShopifyProduct(handle, cells);
  }
  if (product) yield product.finish(absent);
}

/** Null means that a problem was reported. */
function requiredHandle(cells: Cells): string | null {
  if (cells.text('handle') !== null) return cells.indexedText('handle');
  cells.report(cells.at('handle').refuse('', "the product's handle on every row"));
  return null;
}

/** @throws ImportError when there is a gap in its option columns */
function toAbsent(columns: Columns, header: SourceLocation): AbsentFromProducts | undefined {
  const optionValues = countOptionValues(columns);
  const behind = optionNumbers.find((number) => number > optionValues && columns.has(`option${number}Value`));
  if (behind !== undefined) {
    throw header.fault(`expected a column "Option${optionValues + 1} Value" beside "Option${behind} Value"`);
  }
  const [product, variant] = [productRules.lackedBy([columns]), variantRules.lackedBy([columns])];
  const weightUnit = columns.has('grams') && !columns.has('weightUnit');
  const isComplete = product.length === 0 && variant.length === 0 && !weightUnit;
  return isComplete ? undefined : { product: new Set(product), variant: new Set(variant), weightUnit, optionValues };
}

/** The number of option values in the rows of a file. */
function countOptionValues(file: { provides(name: string): boolean }): OptionCount {
  const first = optionNumbers.find((number) => !file.provides(`option${number}Value`)) ?? 4;
  return (first - 1) as OptionCount;
}

/**
 * The rows of one handle. The first row is the product, its first variant and its first image. Each further row is a
 * variant when it has a price or an option, and may carry one more image.
 */
class ShopifyProduct {
  readonly isPublished: boolean;
  readonly #optionNames: readonly (string | null)[];
  readonly #variants: VariantRows<ProductColumn>;
  readonly #rows: number[] = [];
  #image: { readonly url: string; readonly position: number } | undefined;

  constructor(
    readonly handle: string,
    private readonly first: Cells,
  ) {
    this.isPublished = first.parsed('published', requireBoolean) ?? false;
    this.#optionNames = optionNumbers.map((number) => first.word(`option${number}Name`));
    this.#variants = new VariantRows(handle, 'handle', 'option1Value');
    this.#addVariant(first);
    this.#addImage(first);
  }

  get imageUrl(): string | null {
    return this.#image?.url ?? null;
  }

  add(cells: Cells): void {
    this.#rows.push(cells.row.line);
    const isVariant = cells.text('price') !== null || optionNumbers.some((n) => cells.text(`option${n}Value`) !== null);
    if (isVariant) this.#addVariant(cells);
    this.#addImage(cells);
  }

  finish(absent: AbsentFromProducts | undefined): ProductRecord {
    const { first } = this;
    const values = { ...productRules.read(first, this), published: this.isPublished };
    return { kind: 'product', line: first.row.line, rows: this.#rows, values, variants: this.#variants.all, absent };
  }

  #addVariant(cells: Cells): void {
    if (!this.#variants.canAdd(cells)) return;
    const options = optionsIn(cells, this.#optionNames);
    const externalId = toVariantId(this.handle, options);
    this.#variants.add(cells, externalId, (position) => variantRules.read(cells, { externalId, options, position }));
  }

  #addImage(cells: Cells): void {
    const url = cells.word('imageSource');
    if (url === null) return;
    const given = cells.wholeNumber('imagePosition', positionBounds);
    const position = given === null ? Number.POSITIVE_INFINITY : Number(given);
    if (this.#image === undefined || position < this.#image.position) this.#image = { url, position };
  }
}
