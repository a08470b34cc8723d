import type { FileSample, Format, ReadContext } from '../format';
import { Place } from '../import-error';
import type { AbsentFromProducts, ProductRecord, ProductValues, VariantValues } from '../record';
import { readCsvRows } from '../source/csv-rows';
import type { SourceFile } from '../source/source-file';
import { CsvColumns, hasColumn, type CsvCells } from './csv-columns';
import { FirstLines } from './first-lines';
import { carriedByWix, wixColumns, type WixColumn } from './wix-columns';
import { WixProduct } from './wix-product';

/** Wix's product CSV. A product is a row, followed by the rows of its variants with the same handleId. */
export const wixProducts: Format<'wix-products'> = {
  name: 'wix-products',
  description: 'the CSV of Wix, Store Products, Export, with the columns handleId, fieldType, name and price',
  kinds: ['product'],
  explains: { column: carriedByWix },
  recognises({ header }: FileSample): boolean {
    const needed: readonly WixColumn[] = ['handleId', 'fieldType', 'name', 'price'];
    return needed.every((column) => hasColumn(header, wixColumns[column]));
  },
  read,
};

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<ProductRecord, void, void> {
  let columns: CsvColumns<WixColumn> | undefined;
  let absent: AbsentFromProducts | undefined;
  let product: WixProduct | undefined;
  let optionsOnly = 0;
  const firstLines = new FirstLines();
  const finish = (complete: WixProduct): ProductRecord => {
    if (complete.hasOptionsOnly) optionsOnly += 1;
    return complete.finish();
  };
  for await (const row of readCsvRows(source)) {
    if (columns === undefined) {
      columns = new CsvColumns(source.name, row, wixColumns, context);
      absent = toAbsent(columns);
      continue;
    }
    if (row.cells.every((cell) => cell.trim() === '')) continue;
    const cells = columns.row(row);
    const id = requiredId(cells);
    const type = toRowType(cells);
    if (id === null || type === null) continue;
    const isProduct = type === 'product';
    if (!isProduct && id === product?.id) {
      product.addVariant(cells);
      continue;
    }
    if (product) yield finish(product);
    product = undefined;
    if (!isProduct) {
      cells.report(
        cells.at('handleId').fault(`${JSON.stringify(id)} is a variant that does not follow the rows of its product`),
      );
      continue;
    }
    const earlier = firstLines.note(id, new Place(source.name, row.line));
    if (earlier !== undefined)
      cells.report(cells.at('handleId').fault(`line ${earlier} already has product ${JSON.stringify(id)}`));
    product = new WixProduct(id, cells, absent, context.damage);
  }
  if (product) yield finish(product);
  if (optionsOnly > 0) {
    context.warn(
      `${optionsOnly} ${optionsOnly === 1 ? 'product has' : 'products have'} options but no rows of variants: each was read as one variant without options`,
    );
  }
}

/** Null means that a problem was reported. */
function requiredId(cells: CsvCells<WixColumn>): string | null {
  if (cells.text('handleId') !== null) return cells.indexedText('handleId');
  cells.report(cells.at('handleId').refuse('', "the product's handleId on every row"));
  return null;
}

function toRowType(cells: CsvCells<WixColumn>): string | null {
  const type = cells.word('fieldType');
  const word = type?.toLowerCase() ?? '';
  if (word === 'product' || word === 'variant') return word;
  cells.report(cells.at('fieldType').refuse(type ?? '', 'Product or Variant'));
  return null;
}

/** The columns that must be present for a file to provide a member. */
const productMembers: readonly (readonly [WixColumn, keyof ProductValues])[] = [
  ['description', 'description_html'],
  ['brand', 'vendor'],
  ['image', 'image_url'],
  ['visible', 'published_at'],
  ['visible', 'status'],
];

const variantMembers: readonly (readonly [WixColumn, keyof VariantValues])[] = [
  ['sku', 'sku'],
  ['cost', 'cost_price'],
  ['inventory', 'inventory_quantity'],
  ['weight', 'weight'],
  ['discountValue', 'compare_at_price'],
];

/** No column of the file provides the others. */
function toAbsent(columns: CsvColumns<WixColumn>): AbsentFromProducts {
  const lacks = ([column]: readonly [WixColumn, unknown]): boolean => !columns.has(column);
  return {
    product: new Set([
      ...productMembers.filter(lacks).map(([, member]) => member),
      ...(['handle', 'product_type', 'tags', 'seo_title', 'seo_description'] as const),
    ]),
    variant: new Set([
      ...variantMembers.filter(lacks).map(([, member]) => member),
      ...(['barcode', 'weight_unit', 'image_url'] as const),
    ]),
    weightUnit: false,
    optionValues: 3,
  };
}
