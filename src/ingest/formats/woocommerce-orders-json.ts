import type { FileSample, Format, JsonExplained, ReadContext } from '../format';
import type { OrderRecord, OrderValues } from '../record';
import { haveMembers } from '../source/json-elements';
import type { SourceFile } from '../source/source-file';
import { sumDecimals } from '../values/decimal-sum';
import { decodeEntities } from '../values/html-entities';
import { checkIndexedText } from '../values/text';
import { FileMembers, readJsonObjects, customerOf, lacks, sumQuantities } from './json-file';
import type { JsonMembers } from './json-members';
import { gmt } from './woocommerce-json';

/** Orders as WooCommerce's REST API returns them, version 1 to 3. */
export const woocommerceOrdersJson: Format<'woocommerce-orders-json'> = {
  name: 'woocommerce-orders-json',
  description:
    "the JSON of WooCommerce's REST API (/wc/v3/orders): an array, or one object a line, with the members id, number, status and date_created_gmt",
  kinds: ['order'],
  get explains() {
    return { expected, others, wrappers: [] };
  },
  recognises: ({ members }: FileSample) => haveMembers(members, [], ['id', 'number', 'status', 'date_created_gmt']),
  read,
};

/** Members, and the fields that they become. */
const expected: JsonExplained['expected'] = {
  id: 'external_id',
  number: 'order_number',
  status: 'financial_status, fulfillment_status',
  currency: 'currency',
  total: 'total_price',
  total_tax: 'total_tax',
  shipping_total: 'total_shipping',
  line_items: 'items_count, subtotal_price: sums',
  billing: 'customer_name',
  date_created_gmt: 'created_at',
  date_modified_gmt: 'updated_at',
};

const others: JsonExplained['others'] = {
  shipping: 'customer_name, where billing has none',
  refunds: 'financial_status',
  date_paid_gmt: 'financial_status',
  date_completed_gmt: 'fulfillment_status',
};

/** The members that must be present for the file to provide a member here; of several, one is enough. Orders have no tags. */
const orderMembers: readonly (readonly [keyof OrderValues, readonly string[]])[] = [
  ['customer_name', ['billing', 'shipping']],
  ['currency', ['currency']],
  ['total_price', ['total']],
  ['subtotal_price', ['line_items']],
  ['total_tax', ['total_tax']],
  ['total_shipping', ['shipping_total']],
  ['items_count', ['line_items']],
  ['tags', []],
  ['updated_at', ['date_modified_gmt']],
];

/** Statuses of objects that are not yet, or no longer, orders. */
const skipped: ReadonlySet<string> = new Set(['auto-draft', 'checkout-draft', 'trash']);

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<OrderRecord, void, void> {
  const file = new FileMembers(expected, others);
  let drafts = 0;
  for await (const { line, members } of readJsonObjects(source, [], context)) {
    file.note(members);
    for (const person of ['billing', 'shipping']) {
      if (members.object(person)?.filledText('email') != null) context.dropped.email();
    }
    const status = (members.parsed('status', checkIndexedText) ?? '').toLowerCase().replace(/^wc-/, '');
    if (skipped.has(status)) {
      drafts += 1;
      continue;
    }
    yield {
      kind: 'order',
      line,
      values: toOrder(members, status),
      absent: file.absentFromOrder(lacks([members], orderMembers)),
    };
  }
  if (drafts > 0) context.warn(`${drafts} drafts and deleted orders were not read`);
  file.report(context);
}

function toOrder(members: JsonMembers, status: string): OrderValues {
  const items = members.objects('line_items');
  const customer = customerOf(members, ['billing', 'shipping']);
  return {
    external_id: members.id('id'),
    order_number: members.id('number'),
    customer_name: customer === null ? null : decodeEntities(customer),
    currency: members.currency('currency'),
    total_price: members.filledDecimal('total'),
    subtotal_price: sumDecimals(items.map((item) => item.filledDecimal('subtotal') ?? '0')),
    total_tax: members.filledDecimal('total_tax'),
    total_shipping: members.filledDecimal('shipping_total'),
    ...toStatuses(members, status),
    items_count: sumQuantities(members, items),
    tags: [],
    created_at: gmt(members, 'date_created_gmt'),
    updated_at: gmt(members, 'date_modified_gmt'),
  };
}

type Statuses = Pick<OrderValues, 'financial_status' | 'fulfillment_status'>;

/**
 * WooCommerce has one status for both. Statuses of plugins do not indicate payment, but the date of payment does; a partially refunded paid
 * order keeps its status.
 */
function toStatuses(members: JsonMembers, status: string): Statuses {
  const isPaid = members.has('date_paid_gmt');
  const paid = members.objects('refunds').length > 0 ? 'PARTIALLY_REFUNDED' : 'PAID';
  const fulfilled = members.has('date_completed_gmt') ? 'FULFILLED' : null;
  switch (status) {
    case '':
      return { financial_status: null, fulfillment_status: null };
    case 'completed':
      return { financial_status: paid, fulfillment_status: 'FULFILLED' };
    case 'processing':
      return { financial_status: paid, fulfillment_status: 'UNFULFILLED' };
    case 'pending':
    case 'on-hold':
    case 'failed':
      return { financial_status: 'PENDING', fulfillment_status: null };
    case 'refunded':
      return { financial_status: 'REFUNDED', fulfillment_status: fulfilled };
    case 'cancelled':
      return { financial_status: 'VOIDED', fulfillment_status: null };
    default:
      return { financial_status: isPaid ? paid : 'PENDING', fulfillment_status: fulfilled };
  }
}
