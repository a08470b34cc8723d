import type { FileSample, Format } from '../format';
import { Place } from '../import-error';
import type { Dropped } from '../dropped';
import type { OrderRecord } from '../record';
import { readCsvRows } from '../source/csv-rows';
import type { SourceFile } from '../source/source-file';
import { FirstLines } from './first-lines';
import { CsvColumns } from './csv-columns';
import { orderColumns, type OrderColumn, ShopifyOrder } from './shopify-order';

/** Shopify's orders CSV. An order is the consecutive rows of one name; what a file has no column for is null. */
export const shopifyOrders: Format<'shopify-orders'> = {
  name: 'shopify-orders',
  description:
    'the CSV of Shopify, Orders, Export, with the columns Name and Created at and at least one of Total, Lineitem name and Lineitem quantity',
  kinds: ['order'],
  recognises,
  read,
};

function recognises({ header }: FileSample): boolean {
  return (
    header.has('name') &&
    header.has('created at') &&
    ['total', 'lineitem name', 'lineitem quantity'].some((name) => header.has(name))
  );
}

async function* read(source: SourceFile, dropped: Dropped): AsyncGenerator<OrderRecord, void, void> {
  let columns: CsvColumns<OrderColumn> | undefined;
  let order: ShopifyOrder | undefined;
  const firstLines = new FirstLines();
  for await (const row of readCsvRows(source)) {
    if (columns === undefined) {
      columns = new CsvColumns(source.name, row, orderColumns);
      continue;
    }
    if (row.cells.every((cell) => cell.trim() === '')) continue;
    const cells = columns.row(row);
    if (cells.text('email') !== null) dropped.email();
    if (order?.goesOn(cells)) {
      order.add(cells);
      continue;
    }
    if (order) yield order.finish();
    order = new ShopifyOrder(cells, columns.has('itemQuantity'));
    const place = new Place(source.name, row.line);
    const earlier = firstLines.note(order.externalId, place);
    if (earlier !== undefined) {
      const id = JSON.stringify(order.externalId);
      throw place.fault(`order ${id} comes back: its rows began in line ${earlier} and must follow each other`);
    }
  }
  if (order) yield order.finish();
}
