import { customerOf, itemsCount, toLines } from './json-file';
import { orderFormat } from './json-format';
import { lineTotal } from './lists';
import { firstOf, from, computed, upperCase } from './rules';
import { idIn, shopifyId } from './shopify-json';

const people = ['billing_address', 'shipping_address', 'customer'];

/** Shopify's orders as its Admin REST API returns them. */
export const shopifyOrdersJson = orderFormat({
  name: 'shopify-orders-json',
  wrappers: ['orders', 'order'],
  recognizedBy: ['id', 'name', 'created_at', 'financial_status'],
  order: {
    external_id: shopifyId,
    order_number: from('name'),
    customer_name: firstOf(people, (members) => customerOf(members, people)),
    currency: from('currency'),
    total_price: from('total_price'),
    subtotal_price: from('subtotal_price'),
    total_tax: from('total_tax'),
    total_shipping: from('total_shipping_price_set.shop_money.amount'),
    financial_status: upperCase('financial_status'),
    fulfillment_status: upperCase('fulfillment_status'),
    items_count: itemsCount,
    tags: from('tags'),
    created_at: from('created_at'),
    updated_at: from('updated_at'),
    line_items: computed(['line_items'], (members) =>
      toLines(members.objects('line_items'), (item, quantity) => {
        const price = item.decimal('price');
        return {
          title: item.text('name'),
          unit_price: price,
          total: lineTotal(price, quantity, item.decimal('total_discount')),
          product_external_id: idIn(item, 'product_id'),
          variant_external_id: idIn(item, 'variant_id'),
        };
      }),
    ),
  },
  drops: ['email', 'contact_email', 'customer.email'],
});
