import type { SourceLocation } from '../values/import-error';
import type { AbsentFromProducts, ProductValues, UnpositionedVariant, VariantOfRow } from './record';
import type { VariantOption } from '../../catalog/model';
import type { Sales } from './sales';
import { parseBoolean } from '../values/boolean';
import { decodeEntities } from '../values/html-entities';
import { checkIndexedText } from '../values/text';
import { safeBounds } from '../values/numbers';
import type { CsvCells } from './csv-columns';
import { titleOf, toEscapedPath } from './shopify-product';
import { splitList, toCategoryPath, toNames, unescapeLineEnds } from './woocommerce-values';
import {
  constant,
  firstOf,
  explainTable,
  from,
  computed,
  absent,
  ObjectRules,
  toAbsent,
  type Provider,
  type Rule,
} from './rules';
import type { ProductRow } from './woocommerce-assembly';
import { columnSpellings, type WooColumn } from './woocommerce-columns';

type Cells = CsvCells<WooColumn>;

/** Properties of the file that its header shows. */
export interface WooShape {
  readonly attributes: readonly number[];
  /** The unit of the weight column; null when the unit is unknown. */
  readonly weightUnit: string | null;
  readonly sales: Sales;
}

/**
 * The kind of a row, by its type: `simple, downloadable, virtual`. Types of plugins are sold as they are, unless their
 * names indicate otherwise.
 */
export function kindOf(cells: Cells): 'single' | 'variable' | 'grouped' | 'variation' {
  const [type = ''] = (cells.trimmed('type') ?? '').toLowerCase().split(',');
  if (type.endsWith('variation')) return 'variation';
  if (type.startsWith('variable')) return 'variable';
  if (type.trim() === 'grouped') return 'grouped';
  return type.trim() === '' && cells.text('parent') !== null ? 'variation' : 'single';
}

/**
 * Ids are those of the shop. A file without ids identifies products by SKU, and variations without an SKU by product
 * and options. Null means that a problem was reported.
 */
export function toExternalId(cells: Cells, shape: WooShape, isVariation: boolean): string | null {
  const id = cells.indexedText('id');
  if (id !== null) return id;
  const hasId = cells.provides('id');
  const sku = hasId ? null : cells.trimmed('sku');
  if (sku !== null) return cells.parsed('sku', (_, at) => checkIndexedText(`sku:${sku}`, at));
  const parent = cells.trimmed('parent');
  if (!hasId && isVariation && parent !== null) {
    const options = toOptions(cells, shape);
    return cells.parsed('parent', (_, at) => checkIndexedText(toEscapedPath(`sku:${parent}`, options), at));
  }
  if (hasId) cells.report(cells.at('id').refuse('', 'the ID of the product on every row'));
  else cells.report(cells.at('sku').refuse('', 'the SKU on every row of a file without the column ID'));
  return null;
}

interface AroundProduct {
  readonly externalId: string;
  readonly isPublished: boolean;
  readonly categories: readonly (readonly string[])[];
}

interface AroundVariant {
  readonly externalId: string;
  readonly shape: WooShape;
  readonly options: readonly VariantOption[];
  readonly prices: ReturnType<Sales['pricesOf']>;
}

const productRules = new ObjectRules<Cells, Omit<ProductValues, 'published'>, AroundProduct>('products', {
  external_id: computed(['id'], (_, { externalId }) => externalId),
  title: computed(['name'], (cells) => decodeEntities(cells.requiredText('name', 'a name'))),
  // No export has handles.
  status: computed(['published'], (_, { isPublished }: AroundProduct) => (isPublished ? 'ACTIVE' : 'DRAFT')),
  vendor: computed(['brands'], (cells) => cells.parsed('brands', firstName), 'the first'),
  product_type: computed(['categories'], (_, { categories }: AroundProduct) => deepest(categories)?.at(-1) ?? null),
  tags: computed(['tags'], (cells) => cells.parsed('tags', toTags) ?? []),
  description_html: computed(['description'], (cells) => {
    const description = cells.text('description');
    return description === null ? null : unescapeLineEnds(description);
  }),
  seo_title: firstNamed('seoTitle', 'seoTitleOther'),
  seo_description: firstNamed('seoDescription', 'seoDescriptionOther'),
  image_url: computed(['images'], firstImage, 'the first'),
  published_at: computed(['published'], () => null),
  created_at: absent(),
  updated_at: absent(),
});

const variantRules = new ObjectRules<Cells, VariantOfRow, AroundVariant>('variants', {
  external_id: constant((_, { externalId }: AroundVariant) => externalId),
  title: {
    ...computed([], (cells: Cells, { options }: AroundVariant) =>
      options.length > 0 ? titleOf(options) : decodeEntities(cells.text('name') ?? ''),
    ),
    isProvided: hasAttributes,
  },
  sku: from('sku'),
  barcode: computed(['gtin'], (cells) => cells.trimmed('gtin')?.replace(/^'/, '') ?? null),
  price: {
    ...computed(['salePrice', 'regularPrice'], (_: Cells, { prices }: AroundVariant) => prices.price),
    isProvided: hasPrices,
  },
  compare_at_price: {
    ...computed(['regularPrice'], (_: Cells, { prices }: AroundVariant) => prices.full),
    isProvided: hasPrices,
  },
  cost_price: from('cost'),
  inventory_quantity: computed(['stock'], (cells) =>
    sharesStock(cells) ? null : cells.wholeNumber('stock', safeBounds),
  ),
  weight: from('weight'),
  weight_unit: computed(['weight'], (cells, { shape }: AroundVariant) =>
    cells.text('weight') === null ? null : shape.weightUnit,
  ),
  position: constant(() => null),
  image_url: computed(['images'], firstImage, 'the first'),
  options: { ...computed([], (_: Cells, { options }: AroundVariant) => options), isProvided: hasAttributes },
  created_at: absent(),
  updated_at: absent(),
});

/** What becomes of the columns. */
export const explainedWoo = explainTable([productRules, variantRules], columnSpellings, {
  id: 'external_id',
  sku: 'variants.sku; external_id, without a column ID',
  type: 'which rows are variations',
  saleStart: 'from when Sale price is the price',
  saleEnd: 'until when Sale price is the price',
  salePrice: 'variants.price',
  regularPrice: 'variants.price; variants.compare_at_price during a sale',
  categories: 'collections, product_type',
  images: 'image_url: the first',
  parent: 'which product a variation is of',
  position: 'variants.position',
});

/** The members that a file with these columns does not provide. */
export const absentFrom = (file: Provider): AbsentFromProducts => toAbsent(productRules, variantRules, file);

const pricesOf = (cells: Cells, { sales }: WooShape): AroundVariant['prices'] =>
  sales.pricesOf(
    cells.decimal('regularPrice'),
    cells.decimal('salePrice'),
    cells.parsed('saleStart', sales.hasBegun),
    cells.parsed('saleEnd', sales.hasEnded),
  );

/** One of them alone does not tell the price. */
export function hasPrices(file: Provider): boolean {
  return file.provides('regularPrice') && file.provides('salePrice');
}

function hasAttributes(file: Provider): boolean {
  return file.provides('attributes');
}

function firstNamed(...names: readonly [WooColumn, WooColumn]): Rule<Cells, string | null> {
  return firstOf(
    names,
    (cells: Cells) => names.map((name) => withoutVariables(cells.text(name))).find((text) => text !== null) ?? null,
  );
}

export function toProductRow(cells: Cells, externalId: string, kind: ProductRow['kind'], shape: WooShape): ProductRow {
  const categories = categoriesOf(cells);
  for (const path of categories) {
    cells.check(() => checkIndexedText(toCategoryId(path), cells.at('categories')));
    cells.check(() => checkIndexedText(path.at(-1) ?? '', cells.at('categories')));
  }
  const isPublished = cells.parsed('published', toPublished) ?? !cells.provides('published');
  const { line: _, ...variant } = toVariant(cells, externalId, shape);
  return {
    line: cells.row.line,
    kind,
    categories: categories.map((path) => ({ id: toCategoryId(path), title: path.at(-1) ?? '', handle: null })),
    values: {
      ...productRules.read(cells, { externalId, isPublished, categories }),
      published: isPublished && cells.provides('published'),
    },
    variant: { ...variant, title: 'Default Title', options: [], image_url: null },
    references: [...(cells.trimmed('id') === null ? [] : [`id:${externalId}`]), cells.trimmed('sku') ?? []].flat(),
  };
}

export function toVariant(cells: Cells, externalId: string, shape: WooShape): UnpositionedVariant {
  const [options, prices] = [toOptions(cells, shape), pricesOf(cells, shape)];
  // A variation is published with its product: its own cell only has to be valid.
  cells.parsed('published', toPublished);
  return { line: cells.row.line, ...variantRules.read(cells, { externalId, shape, options, prices }) };
}

const categoriesOf = (cells: Cells): readonly (readonly string[])[] =>
  splitList(cells.text('categories') ?? '')
    .map(toCategoryPath)
    .filter((path) => path.length > 0);

const toTags = (list: string, location: SourceLocation): string[] =>
  toNames(list).map((tag) => checkIndexedText(tag, location));

/** Whether a variation shares the stock of its product. */
export const sharesStock = (cells: Cells): boolean => cells.trimmed('stock')?.toLowerCase() === 'parent';

/** A blank value matches any of the attribute's values: such a variation has no option of that name. */
const toOptions = (cells: Cells, { attributes }: WooShape): readonly VariantOption[] =>
  attributes.flatMap((number) => {
    const [name, value] = [cells.trimmed(`attribute${number}Name`), cells.trimmed(`attribute${number}Values`)];
    if (name === null || value === null) return [];
    return [{ name: decodeEntities(name), value: decodeEntities(value.replaceAll('\\,', ',')) }];
  });

function toPublished(word: string, location: SourceLocation): boolean {
  if (word === '1') return true;
  if (word === '0' || word === '-1') return false;
  const published = parseBoolean(word);
  if (published === undefined) throw location.refuse(word, '1 (published), 0 (private) or -1 (draft)');
  return published;
}

const firstName = (list: string, location: SourceLocation): string | null => {
  const [name] = toNames(list);
  return name === undefined ? null : checkIndexedText(name, location);
};

function firstImage(cells: Cells): string | null {
  return splitList(cells.text('images') ?? '')[0] ?? null;
}

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
