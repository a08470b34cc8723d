import { descriptions } from './descriptions';
import type { Format, ReadContext } from './format';
import type { AbsentFromProducts, ProductRecord, ProductValues, UnpositionedVariant, VariantOfRow } from './record';
import type { VariantOption } from '../../catalog/model';
import type { SourceFile } from '../source/source-file';
import { requireBoolean } from '../values/boolean';
import { addDecimals, isZero, lessPercent, safeBounds, subtractDecimals } from '../values/numbers';
import { checkIndexedText } from '../values/text';
import { CsvColumns, absentColumns, readRows, type CsvCells } from './csv-columns';
import { maximumVariants } from './check-lengths';
import { FirstLines } from './first-lines';
import { ProductOfRows } from './product-of-rows';
import { type ColumnNames, constant, explainTable, from, computed, absent, ObjectRules, toAbsent } from './rules';

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

interface AroundProduct {
  readonly id: string;
  readonly published: boolean;
}

const productRules = new ObjectRules<Cells, Omit<ProductValues, 'published'>, AroundProduct>('products', {
  external_id: computed(['handleId', 'handle'], (_, { id }) => id),
  handle: from('handle'),
  title: computed(['name'], (cells) => cells.requiredText('name', 'a name on the row of each product')),
  status: computed(['visible'], (_, { published }: AroundProduct) => (published ? 'ACTIVE' : 'DRAFT')),
  vendor: from('brand'),
  tags: absent([]),
  description_html: from('description'),
  image_url: computed(['image'], toImage, 'the first'),
  published_at: computed(['visible'], () => null),
  created_at: absent(),
  updated_at: absent(),
});

interface AroundVariant {
  readonly first: Cells;
  readonly options: readonly VariantOption[];
  /** The price, and the full one where that is reduced. */
  readonly prices: { readonly price: string | null; readonly full: string | null };
}

const variantRules = new ObjectRules<Cells, VariantOfRow, AroundVariant>('variants', {
  external_id: absent(),
  title: constant(() => null),
  sku: from('sku'),
  barcode: from('barcode'),
  price: computed(['price'], (_, { prices }: AroundVariant) => prices.price),
  compare_at_price: computed(['discountValue', 'strikethroughPrice'], (_, { prices }: AroundVariant) => prices.full),
  cost_price: computed(['cost'], (cells, { first }) => cells.decimal('cost') ?? first.decimal('cost')),
  inventory_quantity: computed(['inventory'], toStock),
  weight: computed(['weight'], (cells, { first }) => cells.decimal('weight') ?? first.decimal('weight')),
  position: constant(positionOf),
  options: constant((_, { options }: AroundVariant) => options),
  created_at: absent(),
  updated_at: absent(),
});

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
    ...Object.fromEntries(Object.keys(optionColumns).map((name) => [name, 'variants.options'])),
  }),
  absentFrom: (sample) =>
    absentColumns([[...names.handleId, ...names.handle], names.fieldType, names.name, names.price], sample),
  read,
};

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<ProductRecord, void, void> {
  let absent: AbsentFromProducts | undefined;
  let open: OpenProduct | undefined;
  let optionsOnly = 0;
  const firstLines = new FirstLines();
  const finish = ({ product, first }: OpenProduct): ProductRecord => {
    // Texts to choose from, without price or stock.
    if (product.isWithoutVariants && first.text('option1Name') !== null) optionsOnly += 1;
    return product.finish(absent);
  };
  const rows = readRows(source, (header) => {
    const other = header.cells.some((cell) => cell.trim().toLowerCase() === 'handleid') ? newerColumns : olderColumns;
    const own = Object.entries(names).filter(([name]) => !(name in other));
    const columns = new CsvColumns(source.name, header, Object.fromEntries(own) as typeof names, context);
    absent = toAbsent(productRules, variantRules, columns);
    return columns;
  });
  for await (const cells of rows) {
    const id = requiredId(cells);
    const type = toRowType(cells);
    if (id === null || type === null) continue;
    const { line } = cells.row;
    if (type === 'product') {
      if (open) yield finish(open);
      firstLines.begin(id, cells.location, context.problems);
      open = openProduct(id, cells, source.name, context);
    } else if (id !== open?.product.id) {
      const problem = `${JSON.stringify(id)} is a ${type} that does not follow the rows of its product`;
      cells.report(cells.at(idColumn(cells)).fault(problem));
    } else if (type === 'media') open.product.addImage(toImage(cells), line);
    else {
      const { read: readVariant } = open;
      open.product.add(() => readVariant(cells), line, cells.size);
    }
  }
  if (open) yield finish(open);
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
const idColumn = (cells: Cells): 'handleId' | 'handle' => (cells.provides('handleId') ? 'handleId' : 'handle');

function toRowType(cells: Cells): string | null {
  const type = cells.trimmed('fieldType');
  const word = type?.toLowerCase() ?? '';
  if (word === 'product' || word === 'variant' || word === 'media') return word;
  cells.report(cells.at('fieldType').refuse(type ?? '', 'Product, Variant or Media'));
  return null;
}

interface OpenProduct {
  readonly product: ProductOfRows;
  readonly first: Cells;
  readonly read: (cells: Cells) => UnpositionedVariant;
}

/** The row of a product. Without rows of variants it is its own one. */
function openProduct(id: string, first: Cells, file: string, { problems }: ReadContext): OpenProduct {
  const published = first.parsed('visible', requireBoolean) ?? true;
  const discount = toDiscount(first);
  const read = (cells: Cells): UnpositionedVariant => ({
    line: cells.row.line,
    ...variantRules.read(cells, {
      first,
      options: cells === first ? [] : optionsOf(cells, first),
      prices: pricesOf(cells, first, discount),
    }),
  });
  const values = { ...productRules.read(first, { id, published }), published };
  const product = new ProductOfRows(first.row.line, values, () => read(first), { file, problems }); // prettier-ignore
  return { product, first, read };
}

function pricesOf(cells: Cells, first: Cells, discount: Discount | null): AroundVariant['prices'] {
  const own = cells.text('price') === null ? first : cells;
  const [price, surcharge] = [own.decimal('price'), cells.decimal('surcharge')];
  const full = price === null || surcharge === null ? price : addDecimals(price, surcharge);
  return full === null || discount === null
    ? { price: full, full: own.decimal('strikethroughPrice') }
    : { price: discount(full), full };
}

const optionsOf = (cells: Cells, first: Cells): readonly VariantOption[] =>
  wixOptions.flatMap((number) => {
    const value = cells.trimmed(`option${number}Value`);
    if (value === null) return [];
    const isColor = /^(?:color|swatch_choices)$/i.test(first.trimmed(`option${number}Type`) ?? '');
    // A color is written with its code: #ff0000:Red.
    const shown = isColor ? value.replace(/^#?[0-9a-f]{3,8}:(?=.)/i, '') : value;
    return [{ name: first.trimmed(`option${number}Name`) ?? `Option${number}`, value: shown }];
  });

/** In the order in which the product's row lists the values, whatever the order of the rows; null where it does not. */
function positionOf(cells: Cells, { first }: AroundVariant): string | null {
  let position = 0;
  for (const number of wixOptions) {
    const value = cells === first ? null : cells.trimmed(`option${number}Value`);
    if (value === null) continue;
    const listed = (first.trimmed(`option${number}Value`) ?? '').split(';').map((one) => one.trim());
    const index = listed.indexOf(value);
    if (index === -1) return null;
    position = position * listed.length + index;
  }
  return cells === first || position >= maximumVariants ? null : String(position + 1);
}

type Discount = (price: string) => string;

function toDiscount(cells: Cells): Discount | null {
  const value = cells.decimal('discountValue');
  if (value === null || isZero(value)) return null;
  const mode = cells.trimmed('discountMode')?.toUpperCase() ?? '';
  if (mode === 'PERCENT') return (price) => lessPercent(price, value);
  if (mode === 'AMOUNT') return (price) => subtractDecimals(price, value);
  cells.report(cells.at('discountMode').refuse(mode, 'PERCENT or AMOUNT'));
  return null;
}

/** Stock that is not tracked is either available (null) or not (0). */
function toStock(cells: Cells): string | null {
  const word = cells.trimmed('inventory')?.toLowerCase().replaceAll('_', '');
  if (word === 'instock') return null;
  return word === 'outofstock' ? '0' : cells.wholeNumber('inventory', safeBounds);
}

/** The first of several. Images hosted by Wix are given by their file names. */
function toImage(cells: Cells): string | null {
  const parts = cells.text('image')?.split(';') ?? [];
  const first = parts.map((part) => part.trim()).find((part) => part !== '');
  if (first === undefined) return null;
  return /^(?:https?:)?\/\//i.test(first) ? first : `https://static.wixstatic.com/media/${first}`;
}
