import type { Dropped } from '../dropped';
import type { FileSample, Format, ReadContext } from '../format';
import type { OrderRecord, OrderValues } from '../record';
import type { SourceFile } from '../source/source-file';
import { checkIndexedText } from '../values/text';
import { FileMembers } from './json-file';
import type { JsonMembers } from './json-members';
import { bulkType, readBulkGroups, type BulkGroup } from './shopify-bulk';
import { amountOf, customerOf, lacks, sumQuantities, toShopifyId } from './shopify-json';

/** The result of a bulk operation on orders of Shopify's Admin GraphQL API. What its query did not ask for stays as it is. */
export const shopifyOrdersBulk: Format<'shopify-orders-bulk'> = {
  name: 'shopify-orders-bulk',
  description:
    'the JSONL of a bulk operation on orders of Shopify\'s Admin GraphQL API, one object a line with an "id" such as gid://shopify/Order/123, line items behind their order with "__parentId"',
  kinds: ['order'],
  recognises: (sample: FileSample) => bulkType(sample) === 'Order',
  read,
};

const expected = [
  'id', 'name', 'billingAddress', 'currencyCode', 'totalPriceSet', 'subtotalPriceSet', 'totalTaxSet', 'totalShippingPriceSet',
  'displayFinancialStatus', 'displayFulfillmentStatus', 'tags', 'createdAt', 'updatedAt', 'lineItems.quantity',
]; // prettier-ignore

/** Other ways to ask for the same, and what belongs to the lines themselves. */
const others: ReadonlySet<string> = new Set([
  '__typename', 'email', 'shippingAddress', 'customer', 'totalPrice', 'subtotalPrice', 'totalTax', 'totalShippingPrice', 'subtotalLineItemsQuantity',
  'lineItems.__typename', 'lineItems.__parentId', 'lineItems.id',
]); // prettier-ignore

/** An item may have no id of its own. */
const itemTypes: ReadonlySet<string> = new Set(['LineItem', 'Object']);

/** What the query must have asked for, for the file to say something of a member here; of several, one is enough. */
const orderMembers: readonly (readonly [keyof OrderValues, readonly string[]])[] = [
  ['customer_name', ['billingAddress', 'shippingAddress', 'customer']],
  ['currency', ['currencyCode', 'totalPriceSet']],
  ['total_price', ['totalPriceSet', 'totalPrice']],
  ['subtotal_price', ['subtotalPriceSet', 'subtotalPrice']],
  ['total_tax', ['totalTaxSet', 'totalTax']],
  ['total_shipping', ['totalShippingPriceSet', 'totalShippingPrice']],
  ['financial_status', ['displayFinancialStatus']],
  ['fulfillment_status', ['displayFulfillmentStatus']],
  ['tags', ['tags']],
  ['created_at', ['createdAt']],
  ['updated_at', ['updatedAt']],
];

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<OrderRecord, void, void> {
  const file = new FileMembers(expected, others);
  for await (const group of readBulkGroups(source, 'Order', itemTypes, context)) {
    file.note(group.members);
    dropAddresses(group.members, context.dropped);
    yield toRecord(group, file);
  }
  file.report(context);
}

/** Addresses are looked at only to count them (D25). */
function dropAddresses(members: JsonMembers, dropped: Dropped): void {
  const customer = members.object('customer');
  const inner = customer?.object('defaultEmailAddress')?.filledText('emailAddress');
  for (const address of [members.filledText('email'), customer?.filledText('email'), inner]) {
    if (address != null) dropped.email();
  }
}

function toRecord({ line, members, children }: BulkGroup, file: FileMembers): OrderRecord {
  const items = children.map((child) => child.members).filter((child) => child.names('quantity'));
  for (const item of items) file.note(item, 'lineItems.');
  const absent = lacks([members], orderMembers);
  const hasCount = items.length > 0 || members.names('subtotalLineItemsQuantity');
  return {
    kind: 'order',
    line,
    values: {
      external_id: members.id('id', toShopifyId),
      order_number: members.requiredText('name'),
      customer_name: customerOf(members, ['billingAddress', 'shippingAddress', 'customer']),
      currency: members.currency('currencyCode') ?? members.object('totalPriceSet')?.object('shopMoney')?.currency('currencyCode') ?? null, // prettier-ignore
      total_price: moneyOf(members, 'totalPrice'),
      subtotal_price: moneyOf(members, 'subtotalPrice'),
      total_tax: moneyOf(members, 'totalTax'),
      total_shipping: moneyOf(members, 'totalShippingPrice'),
      financial_status: members.parsed('displayFinancialStatus', checkIndexedText)?.toUpperCase() ?? null,
      fulfillment_status: members.parsed('displayFulfillmentStatus', checkIndexedText)?.toUpperCase() ?? null,
      items_count: items.length > 0 ? sumQuantities(members, items) : members.count('subtotalLineItemsQuantity'),
      tags: members.commaTags('tags'),
      created_at: members.timestamp('createdAt'),
      updated_at: members.timestamp('updatedAt'),
    },
    absent: file.absentFromOrder(hasCount ? absent : [...absent, 'items_count']),
  };
}

/** In the currency of the shop; older queries ask for the amount alone. */
function moneyOf(members: JsonMembers, name: string): string | null {
  const shopMoney = members.object(`${name}Set`)?.object('shopMoney');
  return shopMoney ? amountOf(shopMoney, 'amount') : amountOf(members, name);
}
