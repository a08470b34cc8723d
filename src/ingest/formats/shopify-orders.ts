import { model, type StoredLineItem } from '../../catalog/model';
import type { Format, ReadContext } from './format';
import type { OrderRecord, OrderValues } from './record';
import type { SourceFile } from '../source/source-file';
import { latestOf } from '../values/timestamp';
import { countBounds } from '../values/numbers';
import { CsvColumns, absentColumns, readRows, type CsvCells } from './csv-columns';
import { noteRow } from './check-lengths';
import { lineTotal, lineWithoutIds, quantityBounds } from './lists';
import { apart, FirstLines } from './first-lines';
import { firstOf, explainTable, from, computed, ObjectRules, upperCase } from './rules';

/** The columns of a row that are read. Addresses, phones and notes are not; the e-mail is only counted (D25). */
const names = {
  name: ['Name'],
  id: ['Id'],
  email: ['Email'],
  billingName: ['Billing Name'],
  shippingName: ['Shipping Name'],
  currency: ['Currency'],
  total: ['Total'],
  subtotal: ['Subtotal'],
  taxes: ['Taxes'],
  shipping: ['Shipping'],
  financialStatus: ['Financial Status'],
  fulfillmentStatus: ['Fulfillment Status'],
  itemName: ['Lineitem name'],
  itemSku: ['Lineitem sku'],
  itemQuantity: ['Lineitem quantity'],
  itemPrice: ['Lineitem price'],
  itemDiscount: ['Lineitem discount'],
  tags: ['Tags'],
  createdAt: ['Created at'],
  paidAt: ['Paid at'],
  fulfilledAt: ['Fulfilled at'],
  cancelledAt: ['Cancelled at'],
} as const;

type OrderColumn = keyof typeof names;
type Cells = CsvCells<OrderColumn>;

/** Many tables have a name, a date and a total. */
const own = ['Lineitem name', 'Lineitem quantity', 'Financial Status', 'Fulfillment Status'];
const updates = ['paidAt', 'fulfilledAt', 'cancelledAt'] as const;
const items = ['itemName', 'itemSku', 'itemQuantity', 'itemPrice', 'itemDiscount'] as const;

/**
 * The CSV writes `partially_refunded` where Shopify's other exports, and the specification, write PARTIALLY_REFUNDED.
 */
const rules = new ObjectRules<Cells, OrderValues, ShopifyOrder>('orders', {
  external_id: firstOf(['id', 'name'], (_, order: ShopifyOrder) => order.externalId),
  order_number: computed(['name'], (_, order: ShopifyOrder) => order.name),
  customer_name: firstOf(
    ['billingName', 'shippingName'],
    (cells) => cells.trimmed('billingName') ?? cells.trimmed('shippingName'),
  ),
  currency: from('currency'),
  total_price: from('total'),
  subtotal_price: from('subtotal'),
  total_tax: from('taxes'),
  total_shipping: from('shipping'),
  financial_status: upperCase('financialStatus'),
  fulfillment_status: upperCase('fulfillmentStatus'),
  items_count: computed(['itemQuantity'], (_, order: ShopifyOrder) => order.itemsCount, 'their sum'),
  tags: from('tags'),
  created_at: from('createdAt'),
  updated_at: {
    ...computed(updates, (cells) => latestOf(updates.map((column) => cells.timestamp(column))), 'the latest'),
    isProvided: (columns) => updates.every((column) => columns.provides(column)),
  },
  line_items: {
    ...computed(items, (_: Cells, { lines }: ShopifyOrder) => lines),
    isProvided: (columns) => columns.provides('itemName'),
  },
});

/**
 * Shopify's orders CSV. An order is the consecutive rows of one name; fields without a column keep their stored values.
 */
export const shopifyOrders: Format<'shopify-orders'> = {
  name: 'shopify-orders',
  kinds: ['order'],
  explains: explainTable([rules], names, { email: 'removed and counted' }),
  absentFrom: (sample) => absentColumns([names.name, names.createdAt, own], sample),
  read,
};

/** Maximum number of rows that wait, with their orders, until a date shows the format of the file's dates. */
const maxWaiting = 100_000;

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<OrderRecord, void, void> {
  let columns: CsvColumns<OrderColumn> | undefined;
  let order: ShopifyOrder | undefined;
  let waiting: ShopifyOrder[] = [];
  let waitingRows = 0;
  let absent: OrderRecord['absent'];
  const firstLines = new FirstLines();
  /** The names of orders that have an id. */
  const named = new FirstLines();
  let incomplete = 0;
  const rows = readRows(source, (header) => {
    columns = new CsvColumns(source.name, header, names, context);
    const members = rules.absentFrom([columns]);
    absent = members.length === 0 ? undefined : new Set(members);
    return columns;
  });
  const finish = (complete: ShopifyOrder): OrderRecord => complete.finish(absent);
  for await (const cells of rows) {
    if (cells.text('email') !== null) context.dropped.emails += 1;
    waitingRows += 1;
    if (order?.isRowOf(cells)) {
      if (order.add(cells) !== undefined) source.note('repeated', cells.row.line);
      continue;
    }
    const name = cells.identity('name', "the order's name on every row");
    if (name === null) continue;
    if (order) waiting.push(order);
    order = new ShopifyOrder(name, cells);
    if (cells.provides('total') && cells.text('total') === null) incomplete += 1;
    const { location } = cells;
    const hasId = order.externalId !== name;
    // Without an id, a row may be of any order of its name; two orders with ids may share one.
    const earlier = firstLines.note(order.externalId, location) ?? (hasId ? firstLines : named).lineOf(name);
    if (hasId && named.lineOf(name) === undefined) named.note(name, location);
    if (earlier !== undefined) {
      const advice =
        '; sort the file by Name, with the row that has a Total first, and remove duplicate rows and older versions of orders';
      context.problems.addFatal(apart(`order ${JSON.stringify(name)}`, earlier, location, advice));
    }
    if (cells.dates.areUnclear && waitingRows < maxWaiting) continue;
    if (cells.dates.areUnclear) throw cells.dates.refuse();
    yield* waiting.map(finish);
    waiting = [];
    waitingRows = 0;
  }
  if (columns?.dates.areUnclear) throw columns.dates.refuse();
  yield* waiting.map(finish);
  if (order) yield finish(order);
  for (const warning of columns?.dates.warnings ?? []) context.warn(warning);
  if (incomplete > 0)
    context.warn(`orders without a Total: ${incomplete}; the file may be missing the first row of each`);
}

/** The rows of one order: the first carries the order, each carries a line item. */
class ShopifyOrder {
  readonly externalId: string;
  readonly #rows: number[] = [];
  readonly #lines = new FirstLines();
  #items = 0n;
  readonly lines: StoredLineItem[] = [];

  constructor(
    readonly name: string,
    private readonly first: Cells,
  ) {
    this.externalId = first.indexedText('id') ?? name;
    for (const column of ['createdAt', ...updates] as const) first.noteDate(column);
    this.add(first);
  }

  get itemsCount(): string {
    return String(this.#items);
  }

  /**
   * Whether the row belongs to this order. Two orders may share a name; the Id, which only first rows have,
   * distinguishes them. Of rows with a Total, one with the line item of the first row, or after a first row without it,
   * begins another order, or a later version of this one.
   */
  isRowOf(cells: Cells): boolean {
    const id = cells.trimmed('id');
    if (cells.trimmed('name') !== this.name || (id !== null && id !== this.externalId)) return false;
    const { first } = this;
    return (
      cells.text('total') === null ||
      (first.text('total') !== null && items.some((column) => cells.text(column) !== first.text(column)))
    );
  }

  /** @returns the line of an earlier row that is the same */
  add(cells: Cells): number | undefined {
    if (!noteRow(this.#rows, cells)) return undefined;
    const given = cells.wholeNumber('itemQuantity', quantityBounds);
    const isItem = !cells.provides('itemQuantity') || cells.text('itemName') !== null;
    const quantity = Number(given ?? isItem);
    this.#items += BigInt(quantity);
    if (isItem || given !== null) this.#addLine(cells, quantity);
    return this.#lines.note(cells.row.cells.join('\n'), cells.location);
  }

  #addLine(cells: Cells, quantity: number): void {
    const price = cells.decimal('itemPrice');
    const total = lineTotal(price, quantity, cells.decimal('itemDiscount'));
    // One more than is stored shows that there are more.
    if (this.lines.length > model.orders.lineItems.count) return;
    const [title, sku] = [cells.trimmed('itemName'), cells.trimmed('itemSku')];
    this.lines.push({ ...lineWithoutIds, title, sku, quantity, unit_price: price, total });
  }

  finish(absent: OrderRecord['absent']): OrderRecord {
    const { first } = this;
    if (this.#items > BigInt(countBounds.max)) {
      first.report(first.at('itemQuantity').fault('the sum of the quantities is too large'));
    }
    return { kind: 'order', line: first.row.line, rows: this.#rows, values: rules.read(first, this), absent };
  }
}
