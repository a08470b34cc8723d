import type { Place } from '../import-error';
import type { ProductValues, VariantValues } from '../record';
import type { VariantOption } from '../../catalog/model';
import type { SpreadsheetDamage } from '../spreadsheet-damage';
import { parseBoolean } from '../values/boolean';
import { decodeEntities } from '../values/html-entities';
import { checkIndexedText } from '../values/text';
import { positionBounds, safeBounds } from '../values/whole-number';
import type { CsvCells } from './csv-columns';
import { toEscapedPath } from './escaped-path';
import { splitList, toCategoryPath, toNames, unescapeLineEnds } from './woocommerce-cells';
import type { WooColumn } from './woocommerce-columns';

type Cells = CsvCells<WooColumn>;

/** Properties of the file that its header shows. */
export interface WooShape {
  readonly attributes: readonly number[];
  readonly hasId: boolean;
  readonly hasPublished: boolean;
  readonly hasPosition: boolean;
  /** The unit of the weight column; null when the unit is unknown. */
  readonly weightUnit: string | null;
  readonly damage: SpreadsheetDamage;
}

/** The row of a product. `variant` is set for a product that has no variations. */
export interface ProductRow {
  readonly line: number;
  readonly values: ProductValues;
  readonly variant: VariantValues;
  readonly kind: 'single' | 'variable' | 'grouped';
  readonly categories: readonly Category[];
  /** The number of variations of the product, where the file gives it. */
  readonly variations?: number;
}

export interface Category {
  readonly id: string;
  readonly title: string;
  readonly handle: string | null;
}

/** The row of a variation. Blank values are inherited from its product. */
export interface VariationRow {
  readonly line: number;
  readonly position: number;
  readonly variant: VariantValues;
}

/**
 * The kind of a row, by its type: `simple, downloadable, virtual`. Types of plugins are sold as they are, unless their names indicate
 * otherwise.
 */
export function kindOf(cells: Cells): 'single' | 'variable' | 'grouped' | 'variation' {
  const [type = ''] = (cells.word('type') ?? '').toLowerCase().split(',');
  if (type.endsWith('variation')) return 'variation';
  if (type.startsWith('variable')) return 'variable';
  if (type.trim() === 'grouped') return 'grouped';
  return type.trim() === '' && cells.text('parent') !== null ? 'variation' : 'single';
}

/**
 * Ids are those of the shop. A file without ids identifies products by SKU, and variations without an SKU by product and options. Null
 * means that a problem was reported.
 */
export function toExternalId(cells: Cells, shape: WooShape, isVariation: boolean): string | null {
  const id = cells.indexedText('id');
  if (id !== null) return id;
  const { hasId } = shape;
  const sku = hasId ? null : cells.word('sku');
  if (sku !== null) return cells.parsed('sku', (_, at) => checkIndexedText(`sku:${sku}`, at));
  const parent = cells.word('parent');
  if (!hasId && isVariation && parent !== null) {
    const options = toOptions(cells, shape);
    return cells.parsed('parent', (_, at) => checkIndexedText(toEscapedPath(`sku:${parent}`, options), at));
  }
  if (hasId) cells.report(cells.at('id').refuse('', 'the ID of the product on every row'));
  else cells.report(cells.at('sku').refuse('', 'the SKU on every row of a file without the column ID'));
  return null;
}

export function toProductRow(cells: Cells, externalId: string, kind: ProductRow['kind'], shape: WooShape): ProductRow {
  const title = cells.text('name');
  if (title === null) cells.report(cells.at('name').refuse('', 'a name'));
  const description = cells.text('description');
  shape.damage.checkText(title, cells.nameOf('name'), cells.row.line);
  shape.damage.checkText(description, cells.nameOf('description'), cells.row.line);
  const categories = splitList(cells.text('categories') ?? '')
    .map(toCategoryPath)
    .filter((path) => path.length > 0);
  for (const path of categories) {
    cells.check(() => checkIndexedText(toCategoryId(path), cells.at('categories')));
    cells.check(() => checkIndexedText(path.at(-1) ?? '', cells.at('categories')));
  }
  const isPublished = cells.parsed('published', toPublished) ?? !shape.hasPublished;
  return {
    line: cells.row.line,
    kind,
    categories: categories.map((path) => ({ id: toCategoryId(path), title: path.at(-1) ?? '', handle: null })),
    values: {
      external_id: externalId,
      title: decodeEntities(title ?? ''),
      handle: null,
      status: isPublished ? 'ACTIVE' : 'DRAFT',
      vendor: cells.parsed('brands', (list, at) => firstName(list, at)),
      product_type: deepest(categories)?.at(-1) ?? null,
      tags: cells.parsed('tags', (list, at) => toNames(list).map((tag) => checkIndexedText(tag, at))) ?? [],
      description_html: description === null ? null : unescapeLineEnds(description),
      seo_title: withoutVariables(cells.text('seoTitle')) ?? withoutVariables(cells.text('seoTitleOther')),
      seo_description:
        withoutVariables(cells.text('seoDescription')) ?? withoutVariables(cells.text('seoDescriptionOther')),
      image_url: firstImage(cells),
      published_at: null,
      published: isPublished && shape.hasPublished,
      created_at: null,
      updated_at: null,
    },
    variant: { ...toVariant(cells, externalId, shape), title: 'Default Title', options: [], image_url: null },
  };
}

export function toVariationRow(cells: Cells, externalId: string, shape: WooShape): VariationRow {
  const given = shape.hasPosition ? cells.wholeNumber('position', positionBounds) : null;
  // A variation is published with its product: its own cell only has to be valid.
  cells.parsed('published', toPublished);
  return {
    line: cells.row.line,
    position: Number(given ?? 0),
    variant: toVariant(cells, externalId, shape),
  };
}

function toVariant(cells: Cells, externalId: string, shape: WooShape): VariantValues {
  const options = toOptions(cells, shape);
  const [regular, sale] = [cells.decimal('regularPrice'), cells.decimal('salePrice')];
  const weight = cells.decimal('weight');
  const sku = cells.text('sku');
  const barcode = cells.word('gtin')?.replace(/^'/, '') ?? null;
  shape.damage.checkCode(sku, cells.nameOf('sku'), cells.row.line);
  shape.damage.checkBarcode(barcode, cells.nameOf('gtin'), cells.row.line);
  return {
    external_id: externalId,
    title:
      options.length > 0 ? options.map(({ value }) => value).join(' / ') : decodeEntities(cells.text('name') ?? ''),
    sku,
    barcode,
    price: sale ?? regular,
    compare_at_price: sale === null ? null : regular,
    cost_price: cells.decimal('cost'),
    inventory_quantity: sharesStock(cells) ? null : cells.wholeNumber('stock', safeBounds),
    weight,
    weight_unit: weight === null ? null : shape.weightUnit,
    position: '1',
    image_url: firstImage(cells),
    options,
    created_at: null,
    updated_at: null,
  };
}

/** Whether a variation shares the stock of its product. */
export const sharesStock = (cells: Cells): boolean => cells.word('stock')?.toLowerCase() === 'parent';

/** A blank value matches any of the attribute's values: such a variation has no option of that name. */
const toOptions = (cells: Cells, { attributes }: WooShape): readonly VariantOption[] =>
  attributes.flatMap((number) => {
    const [name, value] = [cells.word(`attribute${number}Name`), cells.word(`attribute${number}Values`)];
    if (name === null || value === null) return [];
    return [{ name: decodeEntities(name), value: decodeEntities(value.replaceAll('\\,', ',')) }];
  });

function toPublished(word: string, place: Place): boolean {
  if (word === '1') return true;
  if (word === '0' || word === '-1') return false;
  const published = parseBoolean(word);
  if (published === undefined) throw place.refuse(word, '1 (published), 0 (private) or -1 (draft)');
  return published;
}

const firstName = (list: string, place: Place): string | null => {
  const [name] = toNames(list);
  return name === undefined ? null : checkIndexedText(name, place);
};

const firstImage = (cells: Cells): string | null => splitList(cells.text('images') ?? '')[0] ?? null;

/** The most specific category, the first of several. */
const deepest = (categories: readonly (readonly string[])[]): readonly string[] | undefined =>
  categories.reduce<readonly string[] | undefined>(
    (found, path) => (found === undefined || path.length > found.length ? path : found),
    undefined,
  );

/** The export has no category ids. The separator of the parts is escaped within them. */
const toCategoryId = (path: readonly string[]): string =>
  `category:${path.map((part) => part.replace(/[%>]/g, (sign) => (sign === '>' ? '%3E' : '%25'))).join(' > ')}`;

/** A template such as `%%title%% %%sep%%` is not a title. */
export const withoutVariables = (text: string | null): string | null =>
  text === null || /%%\w+%%|%\w+(?:\([^)]*\))?%/.test(text) ? null : text;
