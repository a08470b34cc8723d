import type { FileSample, Format, ReadContext } from '../format';
import { Place } from '../import-error';
import type { OrderRecord } from '../record';
import { readCsvRows } from '../source/csv-rows';
import type { SourceFile } from '../source/source-file';
import { FirstLines } from './first-lines';
import { CsvColumns, type CsvCells } from './csv-columns';
import {
  absentFromOrders,
  carriedByOrderColumns,
  orderColumns,
  type OrderColumn,
  ShopifyOrder,
  type OrderShape,
} from './shopify-order';

/** Shopify's orders CSV. An order is the consecutive rows of one name; fields without a column keep their stored values. */
export const shopifyOrders: Format<'shopify-orders'> = {
  name: 'shopify-orders',
  description:
    'the CSV of Shopify, Orders, Export, with the columns Name and Created at and at least one of Total, Lineitem name and Lineitem quantity',
  kinds: ['order'],
  explains: { column: (column) => carriedByOrderColumns[column as OrderColumn] },
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

/** Orders that wait until a date shows how the dates of the file are meant. */
const maxWaiting = 20_000;

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<OrderRecord, void, void> {
  let columns: CsvColumns<OrderColumn> | undefined;
  let shape: OrderShape | undefined;
  let order: ShopifyOrder | undefined;
  let waiting: ShopifyOrder[] = [];
  const firstLines = new FirstLines();
  for await (const row of readCsvRows(source)) {
    if (columns === undefined || shape === undefined) {
      columns = new CsvColumns(source.name, row, orderColumns, context);
      shape = { hasQuantity: columns.has('itemQuantity'), absent: absentFromOrders(columns) };
      continue;
    }
    if (row.cells.every((cell) => cell.trim() === '')) continue;
    const cells = columns.row(row);
    if (cells.text('email') !== null) context.dropped.email();
    if (order?.goesOn(cells)) {
      order.add(cells);
      continue;
    }
    const name = requiredName(cells);
    if (name === null) continue;
    if (order) waiting.push(order);
    order = new ShopifyOrder(name, cells, shape);
    const place = new Place(source.name, row.line);
    const earlier = firstLines.note(order.externalId, place);
    if (earlier !== undefined) {
      const id = JSON.stringify(order.externalId);
      cells.report(place.fault(`order ${id} reappears: its rows began in line ${earlier} and must be consecutive`));
    }
    if (columns.dates.areUnclear && waiting.length < maxWaiting) continue;
    if (columns.dates.areUnclear) throw columns.dates.refuse();
    for (const complete of waiting) yield complete.finish();
    waiting = [];
  }
  if (columns?.dates.areUnclear) throw columns.dates.refuse();
  for (const complete of waiting) yield complete.finish();
  if (order) yield order.finish();
  for (const warning of columns?.dates.warnings ?? []) context.warn(warning);
}

/** Null means that a problem was reported. */
function requiredName(cells: CsvCells<OrderColumn>): string | null {
  if (cells.text('name') !== null) return cells.indexedText('name');
  cells.report(cells.at('name').refuse('', "the order's name on every row"));
  return null;
}
