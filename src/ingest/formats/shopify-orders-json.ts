import type { Dropped } from '../dropped';
import type { FileSample, Format, JsonExplained, ReadContext } from '../format';
import type { OrderRecord, OrderValues } from '../record';
import { haveMembers } from '../source/json-elements';
import type { SourceFile } from '../source/source-file';
import { checkIndexedText } from '../values/text';
import { FileMembers, readJsonObjects, customerOf, lacks, sumQuantities } from './json-file';
import type { JsonMembers } from './json-members';
import { toShopifyId } from './shopify-json';

const wrappers = ['orders', 'order'];

/** Shopify's orders as its Admin REST API returns them. */
export const shopifyOrdersJson: Format<'shopify-orders-json'> = {
  name: 'shopify-orders-json',
  description:
    'the JSON of Shopify\'s Admin REST API: {"orders": […]}, an array, or one object a line, with the members id, name, created_at and financial_status',
  kinds: ['order'],
  get explains() {
    return { expected, others, wrappers };
  },
  recognises: ({ members }: FileSample) =>
    haveMembers(members, wrappers, ['id', 'name', 'created_at', 'financial_status']),
  read,
};

/** Members, and the fields that they become. */
const expected: JsonExplained['expected'] = {
  id: 'external_id',
  name: 'order_number',
  billing_address: 'customer_name',
  currency: 'currency',
  total_price: 'total_price',
  subtotal_price: 'subtotal_price',
  total_tax: 'total_tax',
  total_shipping_price_set: 'total_shipping',
  financial_status: 'financial_status',
  fulfillment_status: 'fulfillment_status',
  line_items: 'items_count: the sum of their quantities',
  tags: 'tags',
  created_at: 'created_at',
  updated_at: 'updated_at',
};

const others: JsonExplained['others'] = {
  email: 'counted and dropped',
  contact_email: 'counted and dropped',
  shipping_address: 'customer_name, without billing_address',
  customer: 'customer_name, without addresses',
};

/** The members that must be present for the file to provide a member here; of several, one is enough. */
const orderMembers: readonly (readonly [keyof OrderValues, readonly string[]])[] = [
  ['customer_name', ['billing_address', 'shipping_address', 'customer']],
  ['currency', ['currency']],
  ['total_price', ['total_price']],
  ['subtotal_price', ['subtotal_price']],
  ['total_tax', ['total_tax']],
  ['total_shipping', ['total_shipping_price_set']],
  ['fulfillment_status', ['fulfillment_status']],
  ['items_count', ['line_items']],
  ['tags', ['tags']],
  ['updated_at', ['updated_at']],
];

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<OrderRecord, void, void> {
  const file = new FileMembers(expected, others);
  for await (const { line, members } of readJsonObjects(source, wrappers, context)) {
    file.note(members);
    dropAddresses(members, context.dropped);
    const absent = file.absentFromOrder(lacks([members], orderMembers));
    yield { kind: 'order', line, values: toOrder(members), absent };
  }
  file.report(context);
}

/** Addresses are read only to count them (D25). */
function dropAddresses(members: JsonMembers, dropped: Dropped): void {
  for (const [object, name] of [
    [members, 'email'],
    [members, 'contact_email'],
    [members.object('customer'), 'email'],
  ] as const) {
    if (object?.filledText(name) != null) dropped.email();
  }
}

const toOrder = (members: JsonMembers): OrderValues => ({
  external_id: members.id('id', toShopifyId),
  order_number: members.requiredText('name'),
  customer_name: customerOf(members, ['billing_address', 'shipping_address', 'customer']),
  currency: members.currency('currency'),
  total_price: members.filledDecimal('total_price'),
  subtotal_price: members.filledDecimal('subtotal_price'),
  total_tax: members.filledDecimal('total_tax'),
  total_shipping: members.object('total_shipping_price_set')?.object('shop_money')?.filledDecimal('amount') ?? null,
  financial_status: members.parsed('financial_status', checkIndexedText)?.toUpperCase() ?? null,
  fulfillment_status: members.parsed('fulfillment_status', checkIndexedText)?.toUpperCase() ?? null,
  items_count: sumQuantities(members, members.objects('line_items')),
  tags: members.commaTags('tags'),
  created_at: members.timestamp('created_at'),
  updated_at: members.timestamp('updated_at'),
});
