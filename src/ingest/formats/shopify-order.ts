import type { OrderRecord } from '../record';
import { checkCurrency, parseCommaList, checkIndexedText } from '../values/text';
import { latestOf } from '../values/timestamp';
import { countBounds } from '../values/whole-number';
import type { ColumnNames, CsvCells } from './csv-columns';

export type OrderColumn = keyof typeof columns;

const columns = {
  name: ['name'],
  id: ['id'],
  email: ['email'],
  billingName: ['billing name'],
  shippingName: ['shipping name'],
  currency: ['currency'],
  total: ['total'],
  subtotal: ['subtotal'],
  taxes: ['taxes'],
  shipping: ['shipping'],
  financialStatus: ['financial status'],
  fulfillmentStatus: ['fulfillment status'],
  itemName: ['lineitem name'],
  itemQuantity: ['lineitem quantity'],
  tags: ['tags'],
  createdAt: ['created at'],
  paidAt: ['paid at'],
  fulfilledAt: ['fulfilled at'],
  cancelledAt: ['cancelled at'],
} as const;

/** What is read of a row. Addresses, phones and notes are not; the e-mail is only counted (D25). */
export const orderColumns: ColumnNames<OrderColumn> = columns;

type Cells = CsvCells<OrderColumn>;

/** The rows of one order: the first carries the order, each carries a line item. */
export class ShopifyOrder {
  readonly externalId: string;
  readonly #name: string;
  readonly #first: Cells;
  readonly #hasQuantity: boolean;
  #items = 0n;

  constructor(first: Cells, hasQuantity: boolean) {
    const name = first.indexedText('name');
    if (name === null) throw first.at('name').refuse('', "the order's name on every row");
    this.#name = name;
    this.externalId = first.indexedText('id') ?? name;
    this.#first = first;
    this.#hasQuantity = hasQuantity;
    this.add(first);
  }

  /** Whether the row belongs to this order. Two orders may carry one name; the Id, on first rows only, tells them apart. */
  goesOn(cells: Cells): boolean {
    const id = cells.word('id');
    return cells.word('name') === this.#name && (id === null || id === this.externalId);
  }

  add(cells: Cells): void {
    const quantity = cells.wholeNumber('itemQuantity', countBounds);
    const isItem = !this.#hasQuantity || cells.text('itemName') !== null;
    this.#items += quantity === null ? BigInt(isItem) : BigInt(quantity);
  }

  finish(): OrderRecord {
    const first = this.#first;
    if (this.#items > BigInt(countBounds.max))
      throw first.at('itemQuantity').fault('the quantities sum up to too much');
    const currency = first.word('currency');
    const moments = [first.timestamp('paidAt'), first.timestamp('fulfilledAt'), first.timestamp('cancelledAt')];
    const values = {
      external_id: this.externalId,
      order_number: this.#name,
      customer_name: first.word('billingName') ?? first.word('shippingName'),
      currency: currency === null ? null : checkCurrency(currency, first.at('currency')),
      total_price: first.decimal('total'),
      subtotal_price: first.decimal('subtotal'),
      total_tax: first.decimal('taxes'),
      total_shipping: first.decimal('shipping'),
      financial_status: toStatus(first, 'financialStatus'),
      fulfillment_status: toStatus(first, 'fulfillmentStatus'),
      items_count: String(this.#items),
      tags: parseCommaList(first.text('tags') ?? '').map((tag) => checkIndexedText(tag, first.at('tags'))),
      created_at: first.timestamp('createdAt'),
      updated_at: latestOf(moments),
    };
    return { kind: 'order', line: first.row.line, values };
  }
}

/** The CSV writes `partially_refunded` where Shopify's other exports, and the specification, write PARTIALLY_REFUNDED. */
const toStatus = (cells: Cells, column: 'financialStatus' | 'fulfillmentStatus'): string | null =>
  cells.indexedText(column)?.toUpperCase() ?? null;
