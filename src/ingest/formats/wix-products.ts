import { descriptions } from './descriptions';
import type { Format, ReadContext } from './format';
import { SourceLocation } from '../values/import-error';
import type { AbsentFromProducts, ProductRecord, ProductValues, VariantValues } from './record';
import type { VariantOption } from '../../catalog/model';
import type { SourceFile } from '../source/source-file';
import { requireBoolean } from '../values/boolean';
import { addDecimals, isZero, lessPercent, subtractDecimals } from '../values/decimal-sum';
import { checkIndexedText } from '../values/text';
import { safeBounds } from '../values/whole-number';
import { CsvColumns, lackedColumns, readRows, type ColumnNames, type CsvCells } from './csv-columns';
import { FirstLines } from './first-lines';
import { always, explainTable, from, made, never, ObjectRules } from './rules';
import { titleOf, variantIdWithin } from './shopify-product';
import { VariantRows } from './variant-rows';

const wixOptions = [1, 2, 3, 4, 5, 6] as const;
type OptionColumn = `option${(typeof wixOptions)[number]}${'Name' | 'Type' | 'Value'}`;

const plainColumns = {
  fieldType: ['fieldType'],
  name: ['name'],
  description: ['description', 'plainDescription'],
  image: ['productImageUrl', 'media'],
  sku: ['sku'],
  price: ['price'],
  visible: ['visible'],
  inventory: ['inventory'],
  weight: ['weight'],
  cost: ['cost'],
  brand: ['brand'],
} as const;

/** The columns that one of Wix's two catalogs has. */
const olderColumns = {
  handleId: ['handleId'],
  surcharge: ['surcharge'],
  discountMode: ['discountMode'],
  discountValue: ['discountValue'],
} as const;
const newerColumns = { handle: ['handle'], barcode: ['barcode'], strikethroughPrice: ['strikethroughPrice'] } as const;

const optionColumns = Object.fromEntries(
  wixOptions.flatMap((number) => [
    [`option${number}Name`, [`productOptionName${number}`]],
    [`option${number}Type`, [`productOptionType${number}`]],
    [`option${number}Value`, [`productOptionDescription${number}`, `productOptionChoices${number}`]],
  ]),
) as unknown as ColumnNames<OptionColumn>;

type WixColumn = keyof typeof plainColumns | keyof typeof olderColumns | keyof typeof newerColumns | OptionColumn;
type Cells = CsvCells<WixColumn>;

/** The headers of both. Collections, ribbons and custom text fields that buyers fill in are not read. */
const names: ColumnNames<WixColumn> = { ...plainColumns, ...olderColumns, ...newerColumns, ...optionColumns };

const productRules = new ObjectRules<Cells, Omit<ProductValues, 'published'>, WixProduct>('products', {
  external_id: made(['handleId', 'handle'], (_, product: WixProduct) => product.id),
  handle: from('handle'),
  title: made(['name'], (cells) => cells.requiredText('name', 'a name on the row of each product')),
  status: made(['visible'], (_, { isVisible }: WixProduct) => (isVisible ? 'ACTIVE' : 'DRAFT')),
  vendor: from('brand'),
  tags: never([]),
  description_html: from('description'),
  image_url: made(['image'], (_, product: WixProduct) => product.image, 'the first'),
  published_at: made(['visible'], () => null),
  created_at: never(),
  updated_at: never(),
});

interface VariantRow {
  readonly externalId: string;
  readonly options: readonly VariantOption[];
  readonly position: number;
  readonly product: WixProduct;
  /** The price, and the full one where that is reduced. */
  readonly prices: { readonly price: string | null; readonly full: string | null };
}

const variantRules = new ObjectRules<Cells, VariantValues, VariantRow>(
  'variants',
  {
    external_id: always((_, { externalId }: VariantRow) => externalId),
    title: always((_, { options }: VariantRow) => titleOf(options)),
    sku: from('sku'),
    barcode: from('barcode'),
    price: made(['price'], (_, { prices }: VariantRow) => prices.price),
    compare_at_price: made(['discountValue', 'strikethroughPrice'], (_, { prices }: VariantRow) => prices.full),
    cost_price: made(
      ['cost'],
      (cells, { product }: VariantRow) => cells.decimal('cost') ?? product.first.decimal('cost'),
    ),
    inventory_quantity: made(['inventory'], toStock),
    weight: made(
      ['weight'],
      (cells, { product }: VariantRow) => cells.decimal('weight') ?? product.first.decimal('weight'),
    ),
    position: always((_, { position }: VariantRow) => String(position)),
    options: always((_, { options }: VariantRow) => options),
    created_at: never(),
    updated_at: never(),
  },
  { field: 'variants.' },
);

/** Wix's product CSV. A product is a row, followed by the rows of its variants and images with the same handle. */
export const wixProducts: Format<'wix-products'> = {
  name: 'wix-products',
  description: descriptions['wix-products'],
  kinds: ['product'],
  explains: explainTable([productRules, variantRules], names, {
    handleId: 'external_id',
    handle: 'handle, external_id',
    fieldType: 'which rows are variants',
    surcharge: 'variants.price: added',
    discountMode: 'variants.price, variants.compare_at_price',
    discountValue: 'variants.price, variants.compare_at_price',
    ...(Object.fromEntries(Object.keys(optionColumns).map((name) => [name, 'variants.options'])) as Record<
      OptionColumn,
      string
    >),
  }),
  lacks: (sample) =>
    lackedColumns([[...names.handleId, ...names.handle], names.fieldType, names.name, names.price], sample),
  read,
};

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<ProductRecord, void, void> {
  let absent: AbsentFromProducts | undefined;
  let product: WixProduct | undefined;
  let optionsOnly = 0;
  const firstLines = new FirstLines();
  const finish = (complete: WixProduct): ProductRecord => {
    if (complete.hasOptionsOnly) optionsOnly += 1;
    return complete.finish(absent);
  };
  const rows = readRows(source, (header) => {
    const other = header.cells.some((cell) => cell.trim().toLowerCase() === 'handleid') ? newerColumns : olderColumns;
    const own = Object.entries(names).filter(([name]) => !(name in other));
    const columns = new CsvColumns(source.name, header, Object.fromEntries(own) as typeof names, context);
    absent = {
      product: new Set(productRules.lackedBy([columns])),
      variant: new Set(variantRules.lackedBy([columns])),
      weightUnit: false,
      optionValues: 3,
    };
    return columns;
  });
  for await (const cells of rows) {
    const id = requiredId(cells);
    const type = toRowType(cells);
    if (id === null || type === null) continue;
    const isProduct = type === 'product';
    if (!isProduct && id === product?.id) {
      if (type === 'media') product.addImage(cells);
      else product.addVariant(cells);
      continue;
    }
    if (product) yield finish(product);
    product = undefined;
    if (!isProduct) {
      cells.report(
        cells
          .at(idColumn(cells))
          .fault(`${JSON.stringify(id)} is a ${type} that does not follow the rows of its product`),
      );
      continue;
    }
    const earlier = firstLines.note(id, new SourceLocation(source.name, cells.row.line));
    if (earlier !== undefined)
      cells.report(cells.at(idColumn(cells)).fault(`line ${earlier} already has product ${JSON.stringify(id)}`));
    product = new WixProduct(id, cells);
  }
  if (product) yield finish(product);
  if (optionsOnly > 0) {
    context.warn(
      `${optionsOnly} ${optionsOnly === 1 ? 'product has' : 'products have'} options but no rows of variants: each was read as one variant without options`,
    );
  }
}

/** Null means that a problem was reported. */
function requiredId(cells: Cells): string | null {
  const column = idColumn(cells);
  if (cells.text(column) === null) cells.report(cells.at(column).refuse('', `the product's ${column} on every row`));
  return cells.parsed(column, (word, location) =>
    checkIndexedText(column === 'handle' ? `handle:${word}` : word, location),
  );
}

/** The newer catalog has no ids. */
const idColumn = (cells: Cells): 'handleId' | 'handle' => (cells.has('handleId') ? 'handleId' : 'handle');

function toRowType(cells: Cells): string | null {
  const type = cells.word('fieldType');
  const word = type?.toLowerCase() ?? '';
  if (word === 'product' || word === 'variant' || word === 'media') return word;
  cells.report(cells.at('fieldType').refuse(type ?? '', 'Product, Variant or Media'));
  return null;
}

/** The row of a product and those of its variants. A product without variant rows is its own variant. */
class WixProduct {
  readonly isVisible: boolean;
  readonly #variants: VariantRows<WixColumn>;
  readonly #rows: number[] = [];
  readonly #discount: Discount | null;
  image: string | null;

  constructor(
    readonly id: string,
    readonly first: Cells,
  ) {
    this.isVisible = first.parsed('visible', requireBoolean) ?? true;
    this.#variants = new VariantRows(id, idColumn(first), 'option1Value');
    this.#discount = toDiscount(first);
    this.image = toImage(first.word('image'));
  }

  /** Options without variants: texts to choose from, without price or stock. */
  get hasOptionsOnly(): boolean {
    return this.#variants.isEmpty && this.first.text('option1Name') !== null;
  }

  addImage(cells: Cells): void {
    this.image ??= toImage(cells.word('image'));
  }

  addVariant(cells: Cells): void {
    this.#rows.push(cells.row.line);
    if (this.#variants.canAdd(cells)) this.#add(cells, this.#options(cells));
  }

  finish(absent: AbsentFromProducts | undefined): ProductRecord {
    const { first } = this;
    if (this.#variants.isEmpty && !this.#variants.isTooLarge) this.#add(first, []);
    const values = { ...productRules.read(first, this), published: this.isVisible };
    return { kind: 'product', line: first.row.line, rows: this.#rows, values, variants: this.#variants.all, absent };
  }

  #pricesOf(cells: Cells): VariantRow['prices'] {
    const own = cells.text('price') === null ? this.first : cells;
    const [price, surcharge] = [own.decimal('price'), cells.decimal('surcharge')];
    const full = price === null || surcharge === null ? price : addDecimals(price, surcharge);
    return full === null || this.#discount === null
      ? { price: full, full: own.decimal('strikethroughPrice') }
      : { price: this.#discount(full), full };
  }

  #add(cells: Cells, options: readonly VariantOption[]): void {
    const externalId = variantIdWithin(this.id, options);
    this.#variants.add(cells, externalId, (position) =>
      variantRules.read(cells, { externalId, options, position, product: this, prices: this.#pricesOf(cells) }),
    );
  }

  #options(cells: Cells): readonly VariantOption[] {
    return wixOptions.flatMap((number) => {
      const value = cells.word(`option${number}Value`);
      if (value === null) return [];
      const isColour = /^(?:color|swatch_choices)$/i.test(this.first.word(`option${number}Type`) ?? '');
      // A color is written with its code: #ff0000:Red.
      const shown = isColour ? value.replace(/^#?[0-9a-f]{3,8}:(?=.)/i, '') : value;
      return [{ name: this.first.word(`option${number}Name`) ?? `Option${number}`, value: shown }];
    });
  }
}

type Discount = (price: string) => string;

function toDiscount(cells: Cells): Discount | null {
  const value = cells.decimal('discountValue');
  if (value === null || isZero(value)) return null;
  const mode = cells.word('discountMode')?.toUpperCase() ?? '';
  if (mode === 'PERCENT') return (price) => lessPercent(price, value);
  if (mode === 'AMOUNT') return (price) => subtractDecimals(price, value);
  cells.report(cells.at('discountMode').refuse(mode, 'PERCENT or AMOUNT'));
  return null;
}

/** Stock that is not tracked is either available (null) or not (0). */
function toStock(cells: Cells): string | null {
  const word = cells.word('inventory')?.toLowerCase().replaceAll('_', '');
  if (word === 'instock') return null;
  return word === 'outofstock' ? '0' : cells.wholeNumber('inventory', safeBounds);
}

/** The first of several. Images hosted by Wix are given by their file names. */
function toImage(list: string | null): string | null {
  const first = list
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part !== '');
  if (first === undefined) return null;
  return /^(?:https?:)?\/\//i.test(first) ? first : `https://static.wixstatic.com/media/${first}`;
}
