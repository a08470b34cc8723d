import type { Place } from '../import-error';
import type { OrderRecord, OrderValues } from '../record';
import { checkCurrency, parseCommaList, checkIndexedText } from '../values/text';
import { latestOf } from '../values/timestamp';
import { countBounds } from '../values/whole-number';
import type { ColumnNames, CsvCells, CsvColumns } from './csv-columns';

export type OrderColumn = keyof typeof columns;

const columns = {
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
  itemQuantity: ['Lineitem quantity'],
  tags: ['Tags'],
  createdAt: ['Created at'],
  paidAt: ['Paid at'],
  fulfilledAt: ['Fulfilled at'],
  cancelledAt: ['Cancelled at'],
} as const;

/** The columns of a row that are read. Addresses, phones and notes are not; the e-mail is only counted (D25). */
export const orderColumns: ColumnNames<OrderColumn> = columns;

/** The fields that the columns become. */
export const carriedByOrderColumns: Readonly<Record<OrderColumn, string>> = {
  name: 'order_number; external_id, without a column Id',
  id: 'external_id',
  email: 'counted and dropped',
  billingName: 'customer_name',
  shippingName: 'customer_name, where Billing Name is blank',
  currency: 'currency',
  total: 'total_price',
  subtotal: 'subtotal_price',
  taxes: 'total_tax',
  shipping: 'total_shipping',
  financialStatus: 'financial_status',
  fulfillmentStatus: 'fulfillment_status',
  itemName: 'which rows are items',
  itemQuantity: 'items_count: their sum',
  tags: 'tags',
  createdAt: 'created_at',
  paidAt: 'updated_at: the latest',
  fulfilledAt: 'updated_at: the latest',
  cancelledAt: 'updated_at: the latest',
};

type Cells = CsvCells<OrderColumn>;

/** Properties of the file that its header shows. */
export interface OrderShape {
  readonly hasQuantity: boolean;
  readonly absent: ReadonlySet<keyof OrderValues> | undefined;
}

/** The columns that must be present for a file to provide a member; of several, one is enough. */
const members: readonly (readonly [keyof OrderValues, readonly OrderColumn[]])[] = [
  ['customer_name', ['billingName', 'shippingName']],
  ['currency', ['currency']],
  ['total_price', ['total']],
  ['subtotal_price', ['subtotal']],
  ['total_tax', ['taxes']],
  ['total_shipping', ['shipping']],
  ['financial_status', ['financialStatus']],
  ['fulfillment_status', ['fulfillmentStatus']],
  ['items_count', ['itemQuantity']],
  ['tags', ['tags']],
  ['created_at', ['createdAt']],
];

const updateColumns: readonly OrderColumn[] = ['paidAt', 'fulfilledAt', 'cancelledAt'];

/** The members that an orders file does not provide; undefined when it provides all. */
export function absentFromOrders(columns: CsvColumns<OrderColumn>): ReadonlySet<keyof OrderValues> | undefined {
  const absent = new Set(members.filter(([, names]) => !names.some((name) => columns.has(name))).map(([name]) => name));
  if (!updateColumns.every((name) => columns.has(name))) absent.add('updated_at');
  return absent.size === 0 ? undefined : absent;
}

/** The rows of one order: the first carries the order, each carries a line item. */
export class ShopifyOrder {
  readonly externalId: string;
  readonly #name: string;
  readonly #first: Cells;
  readonly #shape: OrderShape;
  #items = 0n;

  constructor(name: string, first: Cells, shape: OrderShape) {
    this.#name = name;
    this.externalId = first.indexedText('id') ?? name;
    this.#first = first;
    this.#shape = shape;
    for (const column of ['createdAt', ...updateColumns] as const) first.noteDate(column);
    this.add(first);
  }

  /** Whether the row belongs to this order. Two orders may share a name; the Id, which is on first rows only, distinguishes them. */
  goesOn(cells: Cells): boolean {
    const id = cells.word('id');
    return cells.word('name') === this.#name && (id === null || id === this.externalId);
  }

  add(cells: Cells): void {
    const quantity = cells.wholeNumber('itemQuantity', countBounds);
    const isItem = !this.#shape.hasQuantity || cells.text('itemName') !== null;
    this.#items += quantity === null ? BigInt(isItem) : BigInt(quantity);
  }

  finish(): OrderRecord {
    const first = this.#first;
    if (this.#items > BigInt(countBounds.max))
      first.report(first.at('itemQuantity').fault('the sum of the quantities is too large'));
    const moments = updateColumns.map((column) => first.timestamp(column));
    const values = {
      external_id: this.externalId,
      order_number: this.#name,
      customer_name: first.word('billingName') ?? first.word('shippingName'),
      currency: first.parsed('currency', checkCurrency),
      total_price: first.decimal('total'),
      subtotal_price: first.decimal('subtotal'),
      total_tax: first.decimal('taxes'),
      total_shipping: first.decimal('shipping'),
      financial_status: toStatus(first, 'financialStatus'),
      fulfillment_status: toStatus(first, 'fulfillmentStatus'),
      items_count: String(this.#items),
      tags: first.parsed('tags', toTags) ?? [],
      created_at: first.timestamp('createdAt'),
      updated_at: latestOf(moments),
    };
    return { kind: 'order', line: first.row.line, values, absent: this.#shape.absent };
  }
}

const toTags = (list: string, place: Place): string[] =>
  parseCommaList(list).map((tag) => checkIndexedText(tag, place));

/** The CSV writes `partially_refunded` where Shopify's other exports, and the specification, write PARTIALLY_REFUNDED. */
const toStatus = (cells: Cells, column: 'financialStatus' | 'fulfillmentStatus'): string | null =>
  cells.indexedText(column)?.toUpperCase() ?? null;
