import type { Dropped } from '../dropped';
import type { FileSample, Format, JsonExplained, ReadContext } from '../format';
import type { OrderRecord, OrderValues } from '../record';
import type { SourceFile } from '../source/source-file';
import { checkIndexedText } from '../values/text';
import { FileMembers, customerOf, lacks, sumQuantities } from './json-file';
import type { JsonMembers } from './json-members';
import { bulkPrefix, bulkType, readBulkGroups, type BulkGroup } from './shopify-bulk';
import { amountOf, toShopifyId } from './shopify-json';

/**
 * The result of a bulk operation on orders of Shopify's Admin GraphQL API. Fields that its query did not select keep their stored values.
 */
export const shopifyOrdersBulk: Format<'shopify-orders-bulk'> = {
  name: 'shopify-orders-bulk',
  description:
    'the JSONL of a bulk operation on orders of Shopify\'s Admin GraphQL API, one object a line with an "id" such as gid://shopify/Order/123, line items behind their order with "__parentId"',
  kinds: ['order'],
  get explains() {
    return {
      expected,
      others,
      wrappers: [],
      prefixOf: (object: Readonly<Record<string, unknown>>) =>
        bulkPrefix(object, { LineItem: 'lineItems.', Object: 'lineItems.' }),
    };
  },
  recognises: (sample: FileSample) => bulkType(sample) === 'Order',
  read,
};

/** Members, and the fields that they become. */
const expected: JsonExplained['expected'] = {
  id: 'external_id',
  name: 'order_number',
  billingAddress: 'customer_name',
  currencyCode: 'currency',
  totalPriceSet: 'total_price',
  subtotalPriceSet: 'subtotal_price',
  totalTaxSet: 'total_tax',
  totalShippingPriceSet: 'total_shipping',
  displayFinancialStatus: 'financial_status',
  displayFulfillmentStatus: 'fulfillment_status',
  tags: 'tags',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  'lineItems.quantity': 'items_count: their sum',
};

/** Other ways to select the same data, and the members of the lines themselves. */
const others: JsonExplained['others'] = {
  __typename: 'nothing',
  email: 'counted and dropped',
  shippingAddress: 'customer_name, without billingAddress',
  customer: 'customer_name, without addresses',
  totalPrice: 'total_price',
  subtotalPrice: 'subtotal_price',
  totalTax: 'total_tax',
  totalShippingPrice: 'total_shipping',
  subtotalLineItemsQuantity: 'items_count, without line items',
  'lineItems.__typename': 'nothing',
  'lineItems.__parentId': 'which order an item is of',
  'lineItems.id': 'nothing',
};

/** An item may have no id. */
const itemTypes: ReadonlySet<string> = new Set(['LineItem', 'Object']);

/** The members that the query must have selected for the file to provide a member here; of several, one is enough. */
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

/** Addresses are read only to count them (D25). */
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

/** In the currency of the shop; older queries select the amount alone. */
function moneyOf(members: JsonMembers, name: string): string | null {
  const shopMoney = members.object(`${name}Set`)?.object('shopMoney');
  return shopMoney ? amountOf(shopMoney, 'amount') : amountOf(members, name);
}
