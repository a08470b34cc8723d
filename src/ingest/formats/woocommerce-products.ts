import type { VariantOption } from '../../catalog/model';
import { decodeEntities } from '../../common/html-entities';
import type { SourceFile } from '../source/source-file';
import type { CsvRow } from '../source/table-row';
import { requireBoolean } from '../values/boolean';
import { SourceLocation } from '../values/import-error';
import { NumberStyle } from '../values/number-style';
import { safeBounds } from '../values/numbers';
import { checkIndexedText } from '../values/text';
import { CsvColumns, readRows, type CsvCells } from './csv-columns';
import type { Format, ReadContext } from './format';
import { toImage } from './lists';
import type { AbsentFromProducts, CatalogRecord } from './record';
import { computed, explainTable, firstOf } from './rules';
import type { Sales } from './sales';
import { toEscapedPath } from './shopify-product';
import { wooMeanings, WooProducts, wooRules, type WooItem } from './woocommerce-assembly';
import {
  absentFromExport,
  attributeNumbers,
  columnSpellings,
  findColumns,
  toColumnNames,
  type WooColumn,
} from './woocommerce-columns';
import {
  splitList,
  toCategoryPath,
  toNames,
  unescapeCell,
  unescapeLineEnds,
  withoutVariables,
} from './woocommerce-values';

type Cells = CsvCells<WooColumn>;

/** Properties of the file that its header shows. */
interface WooShape {
  readonly attributes: readonly number[];
  /** The unit of the weight column; null when the unit is unknown. */
  readonly weightUnit: string | null;
  /** Of weights and costs: a decimal point, unless a spreadsheet changed it, and no thousands separators. */
  readonly unlocalized: NumberStyle;
}

const csvRules = wooRules({
  product: {
    seo_title: firstOf(['seoTitle', 'seoTitleOther'], (_, item) => item.seoTitle()),
    seo_description: firstOf(['seoDescription', 'seoDescriptionOther'], (_, item) => item.seoDescription()),
  },
  variant: {
    cost_price: computed(['cost'], (_, item) => item.unlocalized('cost')),
    weight_unit: computed(['weight'], (_, item) => item.weightUnit()),
    image_url: computed(['images'], (_, item) => item.images()[0]?.url ?? null, 'the first'),
  },
});

/** How the columns are imported. */
const explainedWoo = explainTable([csvRules.product, csvRules.variant], columnSpellings, {
  ...wooMeanings,
  id: 'external_id',
  sku: 'variants.sku; external_id, if there is no column ID',
});

/** WooCommerce's product CSV, in any language, with any of its columns. Variations reference their product. */
export const woocommerceProducts: Format<'woocommerce-products'> = {
  name: 'woocommerce-products',
  kinds: ['product', 'collection'],
  explains: {
    column: (column) => explainedWoo.column(column) || 'variants.options',
    names: { ...columnSpellings, attributes: ['Attribute N name, value(s)'] },
  },
  absentFrom: ({ rows }) => absentFromExport(rows),
  read,
};

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<CatalogRecord, void, void> {
  const products = new WooProducts(source.name, context, csvRules);
  let shape: WooShape | undefined;
  let absent: AbsentFromProducts | undefined;
  const open = (header: CsvRow): CsvColumns<WooColumn> => {
    const { columns, attributes } = openColumns(source.name, header, context);
    const weightUnit = weightUnitOf(columns, header, source.name);
    shape = { attributes, weightUnit, unlocalized: new NumberStyle(undefined, true, '') };
    const provides = (name: string): boolean =>
      name === 'attributes' ? attributes.length > 0 : columns.provides(name);
    absent = csvRules.absentFrom({ provides });
    return columns;
  };
  try {
    for await (const cells of readRows(source, open, source.numbersOf(undefined, true), unescapeCell))
      if (shape) await products.add(toItem(cells, shape, products.sales));
    if (absent) yield* products.records(absent);
  } finally {
    await products.close();
  }
}

function openColumns(file: string, header: CsvRow, context: ReadContext) {
  const found = findColumns(header.cells);
  const columns = new CsvColumns(file, header, toColumnNames(header.cells, found), context);
  return { columns, attributes: attributeNumbers(found) };
}

const units: Readonly<Record<string, string>> = { kg: 'kg', g: 'g', lbs: 'lb', lb: 'lb', oz: 'oz', кг: 'kg', г: 'g' };

function weightUnitOf(columns: CsvColumns<WooColumn>, header: CsvRow, file: string): string | null {
  if (!columns.provides('weight')) return null;
  const name = columns.nameOf('weight');
  const unit = units[/\(([^()]*)\)\s*$/.exec(name)?.[1]?.trim().toLowerCase() ?? ''];
  if (unit !== undefined) return unit;
  const location = new SourceLocation(file, header.line, `column ${JSON.stringify(name)}`);
  throw location.fault('expected kg, g, lbs or oz in the column name');
}

/** The values of one row. */
function toItem(cells: Cells, shape: WooShape, sales: Sales): WooItem {
  const kind = kindOf(cells);
  const options = toOptions(cells, shape);
  const sku = cells.trimmed('sku');
  const id = cells.trimmed('id');
  const list = (column: WooColumn) => cells.parsed(column, splitList) ?? [];
  const firstNamed = (...columns: readonly WooColumn[]) =>
    columns.map((column) => withoutVariables(cells.text(column))).find((text) => text !== null) ?? null;
  const paths = list('categories')
    .map(toCategoryPath)
    .filter((path) => path.length > 0);
  return {
    ...{ kind, options, values: cells, location: cells.location },
    id: toExternalId(cells, options, kind === 'variation'),
    // A variation is published with its product: its own cell only has to be valid.
    isActive: cells.parsed('status', toPublished) ?? !cells.provides('status'),
    sharesStock: cells.trimmed('stock_quantity')?.toLowerCase() === 'parent',
    prices: sales.pricesOf(
      cells.decimal('regular_price'),
      cells.decimal('sale_price'),
      cells.parsed('date_on_sale_from_gmt', sales.hasBegun),
      cells.parsed('date_on_sale_to_gmt', sales.hasEnded),
    ),
    references: [...(id === null ? [] : [`id:${id}`]), ...(sku === null ? [] : [sku])],
    categories: () =>
      paths.map((path) => {
        const [id, title] = [toCategoryId(path), path.at(-1) ?? ''];
        for (const text of [id, title]) cells.check(() => checkIndexedText(text, cells.at('categories')));
        return { id, title, handle: null };
      }),
    productType: () => deepest(paths)?.at(-1) ?? null,
    names: (column) => cells.parsed(column, toNames) ?? [],
    description: () => cells.text('description') && unescapeLineEnds(cells.text('description') ?? ''),
    seoTitle: () => firstNamed('seoTitle', 'seoTitleOther'),
    seoDescription: () => firstNamed('seoDescription', 'seoDescriptionOther'),
    images: () => list('images').flatMap((url) => toImage(url)),
    stock: () => cells.wholeNumber('stock_quantity', safeBounds),
    unlocalized: (column) => cells.decimal(column, shape.unlocalized),
    weightUnit: () => (cells.text('weight') === null ? null : shape.weightUnit),
    parent: () =>
      cells.trimmed('parent_id') ??
      cells.at('parent_id').refuse('', "the SKU of the variation's product, or its ID as in id:20"),
  };
}

/**
 * The kind of a row, by its type: `simple, downloadable, virtual`. Products with a plugin's type are their own variant,
 * unless its name indicates otherwise.
 */
function kindOf(cells: Cells): WooItem['kind'] {
  const [type = ''] = (cells.trimmed('type') ?? '').toLowerCase().split(',');
  if (type.endsWith('variation')) return 'variation';
  if (type.startsWith('variable')) return 'variable';
  if (type.trim() === 'grouped') return 'grouped';
  return type.trim() === '' && cells.text('parent_id') !== null ? 'variation' : 'single';
}

/**
 * Ids are those of the shop. A file without ids identifies products by SKU, and variations without a SKU by product
 * and options. Null means that a problem was reported.
 */
function toExternalId(cells: Cells, options: readonly VariantOption[], isVariation: boolean): string | null {
  const id = cells.indexedText('id');
  if (id !== null) return id;
  const hasId = cells.provides('id');
  const sku = hasId ? null : cells.trimmed('sku');
  if (sku !== null) return cells.parsed('sku', (_, at) => checkIndexedText(`sku:${sku}`, at));
  const parent = cells.trimmed('parent_id');
  if (!hasId && isVariation && parent !== null)
    return cells.parsed('parent_id', (_, at) => checkIndexedText(toEscapedPath(`sku:${parent}`, options), at));
  if (hasId) cells.report(cells.at('id').refuse('', 'an ID on every row (of the product or of the variation)'));
  else cells.report(cells.at('sku').refuse('', 'the SKU on every row of a file without the column ID'));
  return null;
}

/** A blank value matches any of the attribute's values: such a variation has no option of that name. */
const toOptions = (cells: Cells, { attributes }: WooShape): readonly VariantOption[] =>
  attributes.flatMap((number) => {
    const [name, value] = [cells.trimmed(`attribute${number}Name`), cells.trimmed(`attribute${number}Values`)];
    if (name === null || value === null) return [];
    return [{ name: decodeEntities(name), value: decodeEntities(value.replaceAll('\\,', ',')) }];
  });

function toPublished(word: string, location: SourceLocation): boolean {
  if (word === '1') return true;
  if (['0', '-1', '2'].includes(word)) return false;
  return requireBoolean(word, location, '1 (published), 0 (private), -1 (draft) or 2 (pending review)');
}

/** The most specific category, or the first of several. */
const deepest = (categories: readonly (readonly string[])[]): readonly string[] | undefined =>
  categories.reduce<readonly string[] | undefined>(
    (found, path) => (found === undefined || path.length > found.length ? path : found),
    undefined,
  );

/** An id from the path, because the export has no category ids. The separator is escaped within parts. */
const toCategoryId = (path: readonly string[]): string =>
  `category:${path.map((part) => part.replace(/[%>]/g, (sign) => (sign === '>' ? '%3E' : '%25'))).join(' > ')}`;
