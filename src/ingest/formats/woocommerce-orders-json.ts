import type { OrderValues } from './record';
import { divideDecimal, sumDecimals } from '../values/numbers';
import { decodeEntities } from '../../common/html-entities';
import { checkIndexedText } from '../values/text';
import { customerOf, itemsCount, toLines } from './json-file';
import { orderFormat } from './json-format';
import type { JsonMembers } from './json-members';
import { firstOf, from, computed, absent } from './rules';
import { gmt } from './woocommerce-values';

const people = ['billing', 'shipping'];

/** Statuses of objects that are not yet or no longer orders. */
const skipped: ReadonlySet<string> = new Set(['auto-draft', 'checkout-draft', 'trash']);

/** Orders as WooCommerce's REST API returns them, version 1 to 3. */
export const woocommerceOrdersJson = orderFormat({
  name: 'woocommerce-orders-json',
  recognizedBy: ['id', 'number', 'status', 'date_created_gmt'],
  order: {
    external_id: from('id'),
    order_number: computed(['number'], (members) => members.id('number')),
    customer_name: firstOf(people, (members) => {
      const customer = customerOf(members, people);
      return customer === null ? null : decodeEntities(customer);
    }),
    currency: from('currency'),
    total_price: from('total'),
    subtotal_price: computed(
      ['line_items'],
      (members) => sumDecimals(members.objects('line_items').map((item) => item.decimal('subtotal') ?? '0')),
      'the sum of their subtotals',
    ),
    total_tax: from('total_tax'),
    total_shipping: from('shipping_total'),
    financial_status: computed(['status'], (members) => toStatuses(members).financial_status),
    fulfillment_status: computed(['status'], (members) => toStatuses(members).fulfillment_status),
    items_count: itemsCount,
    // Orders have none.
    tags: absent([]),
    created_at: gmt('date_created_gmt'),
    updated_at: gmt('date_modified_gmt'),
    line_items: computed(['line_items'], (members) =>
      toLines(members.objects('line_items'), (item, quantity) => {
        const [name, subtotal, product] = [item.text('name'), item.decimal('subtotal'), idIn(item, 'product_id')];
        return {
          title: name === null ? null : decodeEntities(name),
          unit_price: subtotal === null || quantity === 0 ? null : divideDecimal(subtotal, quantity),
          total: item.decimal('total'),
          product_external_id: product,
          // Without variations, a product is its own variant.
          variant_external_id: idIn(item, 'variation_id') ?? product,
        };
      }),
    ),
  },
  drops: ['billing.email', 'shipping.email'],
  needed: {
    refunds: 'financial_status',
    date_paid_gmt: 'financial_status',
    date_completed_gmt: 'fulfillment_status',
  },
  skips: {
    isSkipped: (members) => skipped.has(statusOf(members)),
    words: 'drafts and deleted orders were not imported',
  },
});

/** 0 means none. */
function idIn(item: JsonMembers, name: string): string | null {
  const id = item.idOrNull(name, checkIndexedText);
  return id === '0' ? null : id;
}

/** Older versions write `wc-completed`. */
const statusOf = (members: JsonMembers): string =>
  (members.parsed('status', checkIndexedText) ?? '').toLowerCase().replace(/^wc-/, '');

/**
 * WooCommerce has one status for payment and fulfillment. Statuses of plugins do not indicate payment, but the date of
 * payment does; a partially refunded paid order keeps its status.
 */
function toStatuses(members: JsonMembers): Pick<OrderValues, 'financial_status' | 'fulfillment_status'> {
  const paid = members.countItems('refunds') > 0 ? 'PARTIALLY_REFUNDED' : 'PAID';
  const fulfilled = members.has('date_completed_gmt') ? 'FULFILLED' : null;
  switch (statusOf(members)) {
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
      return { financial_status: members.has('date_paid_gmt') ? paid : 'PENDING', fulfillment_status: fulfilled };
  }
}
