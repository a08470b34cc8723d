import type { FileSample, Format, ReadContext } from '../format';
import { Place } from '../import-error';
import type { ProductRecord } from '../record';
import { readCsvRows } from '../source/csv-rows';
import type { SourceFile } from '../source/source-file';
import { FirstLines } from './first-lines';
import { CsvColumns, hasColumn, type CsvCells } from './csv-columns';
import { toAbsent } from './shopify-absent-columns';
import { carriedByColumns, productColumns, type ProductColumn } from './shopify-product-columns';
import { ShopifyProduct, type FileShape } from './shopify-product';

/** Shopify's product CSV, classic and new headers. A product is the consecutive rows of one handle. */
export const shopifyProducts: Format<'shopify-products'> = {
  name: 'shopify-products',
  description:
    'the CSV of Shopify, Products, Export, with the columns Handle, Title and Variant Price (new headers: URL handle, Title and Price)',
  kinds: ['product'],
  explains: { column: (column) => carriedByColumns[column as ProductColumn] },
  recognises,
  read,
};

function recognises({ header }: FileSample): boolean {
  const needed: readonly ProductColumn[] = ['handle', 'title', 'price'];
  return needed.every((column) => hasColumn(header, productColumns[column]));
}

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<ProductRecord, void, void> {
  let columns: CsvColumns<ProductColumn> | undefined;
  let shape: FileShape | undefined;
  let product: ShopifyProduct | undefined;
  const firstLines = new FirstLines();
  for await (const row of readCsvRows(source)) {
    const place = new Place(source.name, row.line);
    if (columns === undefined || shape === undefined) {
      columns = new CsvColumns(source.name, row, productColumns, context);
      shape = {
        hasPublished: columns.has('published'),
        hasTracker: columns.has('tracker'),
        absent: toAbsent(columns, place),
        damage: context.damage,
      };
      continue;
    }
    if (row.cells.every((cell) => cell.trim() === '')) continue;
    const cells = columns.row(row);
    const handle = requiredHandle(cells);
    if (handle === null) continue;
    if (handle === product?.handle) {
      product.add(cells);
      continue;
    }
    if (product) yield product.finish();
    const earlier = firstLines.note(handle, place);
    if (earlier !== undefined) {
      cells.report(
        place.fault(
          `handle ${JSON.stringify(handle)} reappears: its rows began in line ${earlier} and must be consecutive`,
        ),
      );
    }
    product = new ShopifyProduct(handle, cells, shape);
  }
  if (product) yield product.finish();
}

/** Null means that a problem was reported. */
function requiredHandle(cells: CsvCells<ProductColumn>): string | null {
  if (cells.text('handle') !== null) return cells.indexedText('handle');
  cells.report(cells.at('handle').refuse('', "the product's handle on every row"));
  return null;
}
