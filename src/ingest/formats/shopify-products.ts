import type { FileSample, Format } from '../format';
import { Place } from '../import-error';
import type { ProductRecord } from '../record';
import { readCsvRows } from '../source/csv-rows';
import type { SourceFile } from '../source/source-file';
import { FirstLines } from './first-lines';
import { CsvColumns, type CsvCells } from './csv-columns';
import { productColumns, type ProductColumn } from './shopify-product-columns';
import { ShopifyProduct } from './shopify-product';

/** Shopify's product CSV, classic and new headers. A product is the consecutive rows of one handle. */
export const shopifyProducts: Format<'shopify-products'> = {
  name: 'shopify-products',
  description:
    'the CSV of Shopify, Products, Export, with the columns Handle, Title and Variant Price (new headers: URL handle, Title and Price)',
  kinds: ['product'],
  recognises,
  read,
};

function recognises({ header }: FileSample): boolean {
  const needed: readonly ProductColumn[] = ['handle', 'title', 'price'];
  return needed.every((column) => productColumns[column].some((name) => header.has(name)));
}

async function* read(source: SourceFile): AsyncGenerator<ProductRecord, void, void> {
  let columns: CsvColumns<ProductColumn> | undefined;
  let product: ShopifyProduct | undefined;
  const firstLines = new FirstLines();
  for await (const row of readCsvRows(source)) {
    if (columns === undefined) {
      columns = new CsvColumns(source.name, row, productColumns);
      continue;
    }
    if (row.cells.every((cell) => cell.trim() === '')) continue;
    const cells = columns.row(row);
    const handle = requiredHandle(cells);
    if (handle === product?.handle) {
      product.add(cells);
      continue;
    }
    if (product) yield product.finish();
    const place = new Place(source.name, row.line);
    const earlier = firstLines.note(handle, place);
    if (earlier !== undefined) {
      throw place.fault(
        `handle ${JSON.stringify(handle)} comes back: its rows began in line ${earlier} and must follow each other`,
      );
    }
    product = new ShopifyProduct(handle, cells, {
      hasPublished: columns.has('published'),
      hasTracker: columns.has('tracker'),
    });
  }
  if (product) yield product.finish();
}

function requiredHandle(cells: CsvCells<ProductColumn>): string {
  const handle = cells.indexedText('handle');
  if (handle === null) throw cells.at('handle').refuse('', "the product's handle on every row");
  return handle;
}
