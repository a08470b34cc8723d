import { seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { Sql } from '../support/test-database';

const day = 86_400_000;

const lineOf = (index: number) => ({
  title: `Cup ${index % 3}`,
  sku: `CUP-5-${index % 2}`,
  quantity: 1 + (index % 3),
  ...{ unit_price: '4.50', total: '4.50', product_external_id: null, variant_external_id: null },
});

/** A shop that gives every view of the dashboard something to show and something to omit. */
export async function seedFigures(sql: Sql, now: number): Promise<string> {
  const shopId = await seedShop(sql, { name: 'Ärmel & <b>Söhne</b>' });
  for (let index = 0; index < 42; index += 1) {
    const product = await seedProduct(sql, shopId, {
      title: index === 7 ? 'Teapot <img src=x onerror=alert(1)>' : `Cup ${String(index).padStart(2, '0')}`,
      status: index % 7 === 0 ? 'DRAFT' : index % 11 === 0 ? 'ARCHIVED' : 'ACTIVE',
      vendor: index % 9 === 0 ? null : `Vendor ${Math.floor(Math.sqrt(index * 4))}`,
      tags: index % 5 === 0 ? [] : Array.from({ length: (index % 4) + 1 }, (_, tag) => `tag-${(index * tag) % 12}`),
    });
    for (let variant = 0; variant < index % 3; variant += 1) {
      await seedVariant(sql, shopId, product, {
        sku: `CUP-${index}-${variant}`,
        price: `${(index + 1) * (index + variant + 1) * 0.5}`,
        inventory_quantity: index % 6 === 1 ? 0 : index + variant,
        position: variant + 1,
      });
    }
  }
  await seedCollection(sql, shopId);
  const midnight = Math.floor(now / day) * day;
  for (let index = 0; index < 60; index += 1) {
    await seedOrder(sql, shopId, {
      order_number: index % 2 === 0 ? `#${5000 + index}` : String(5000 + index),
      currency: index % 13 === 0 ? null : index % 3 === 0 ? 'USD' : 'EUR',
      financial_status: [null, 'PAID', 'PENDING', 'PAID', 'REFUNDED'][index % 5],
      line_items: index % 4 === 0 ? [] : [lineOf(index)],
      total_price: `${index * 3}.${String(index % 100).padStart(2, '0')}`,
      // At every hour: hours between midnight in UTC and midnight elsewhere belong to different days. Every tenth order
      // is more than 90 days old.
      created_at: new Date(midnight - (2 + index + (index % 10 === 9 ? 100 : 0)) * day + (index % 24) * 3_600_000),
    });
  }
  return shopId;
}
