import type { ReadContext } from './format';
import type { SourceFile } from '../source/source-file';
import { customerOf, sumQuantities, toLines } from './json-file';
import { orderFormat } from './json-format';
import type { JsonMembers } from './json-members';
import { firstOf, from, upperCase, type Rule } from './rules';
import { bulkOf } from './shopify-bulk';
import { idIn, shopifyId } from './shopify-json';

const lineNames = ['name', 'sku', 'originalUnitPriceSet', 'discountedTotalSet', 'product', 'variant'];

const people = ['billingAddress', 'shippingAddress', 'customer'];

/** An item may have no id. */
const bulk = bulkOf('Order', { LineItem: 'lineItems.', Object: 'lineItems.' });

/** In the currency of the shop; older queries select the amount alone. */
const money = (name: string): Rule<JsonMembers, never> => from(`${name}Set.shopMoney.amount`, name);

/**
 * The result of a bulk operation on orders of Shopify's Admin GraphQL API. Fields that its query did not select keep
 * their stored values.
 */
export const shopifyOrdersBulk = orderFormat({
  name: 'shopify-orders-bulk',
  ...bulk,
  async *objects(source: SourceFile, context: ReadContext) {
    for await (const order of bulk.objects(source, context)) {
      yield { ...order, parts: order.parts.filter(({ members }) => members.provides('quantity')) };
    }
  },
  itemPrefix: 'lineItems.',
  order: {
    external_id: shopifyId,
    order_number: from('name'),
    customer_name: firstOf(people, (members) => customerOf(members, people)),
    currency: from('currencyCode', 'totalPriceSet.shopMoney.currencyCode'),
    total_price: money('totalPrice'),
    subtotal_price: money('subtotalPrice'),
    total_tax: money('totalTax'),
    total_shipping: money('totalShippingPrice'),
    financial_status: upperCase('displayFinancialStatus'),
    fulfillment_status: upperCase('displayFulfillmentStatus'),
    items_count: {
      names: ['lineItems.quantity', 'subtotalLineItemsQuantity'],
      areAlternatives: true,
      read: (members: JsonMembers, _, items: readonly JsonMembers[]) =>
        items.length > 0 ? sumQuantities(members, items) : members.count('subtotalLineItemsQuantity'),
      isProvided: (order, items: readonly JsonMembers[]) =>
        items.length > 0 || order.provides('subtotalLineItemsQuantity'),
    },
    tags: from('tags'),
    created_at: from('createdAt'),
    updated_at: from('updatedAt'),
    line_items: {
      names: lineNames.map((name) => `lineItems.${name}`),
      read: (_: JsonMembers, __, items: readonly JsonMembers[]) =>
        toLines(items, (item) => ({
          title: item.text('name'),
          unit_price: item.decimal('originalUnitPriceSet.shopMoney.amount'),
          total: item.decimal('discountedTotalSet.shopMoney.amount'),
          product_external_id: idIn(item, 'product.id'),
          variant_external_id: idIn(item, 'variant.id'),
        })),
      isProvided: (_, items: readonly JsonMembers[]) => items.some((item) => item.provides('name')),
    },
  },
  drops: ['email', 'customer.email', 'customer.defaultEmailAddress.emailAddress'],
  also: {
    __typename: 'nothing',
    'lineItems.quantity': 'items_count: their sum; line_items',
    'lineItems.__typename': 'nothing',
    'lineItems.__parentId': 'identifies the order of the item',
    'lineItems.id': 'nothing',
  },
});
