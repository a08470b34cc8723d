import { seedCollection, seedOrder, seedProduct, seedVariant } from '../support/seed';
import type { Sql } from '../support/test-database';

/** A merchant's data as plain values, from which each question is also answered without the service. */
export const collections = [
  { id: 'summer', title: 'Summer' },
  { id: 'kitchen', title: 'Kitchen & Table' },
  { id: 'empty', title: 'Coming soon' },
];

interface Item {
  readonly id: string;
  readonly title: string;
  readonly vendor: string;
  readonly tags?: readonly string[];
  readonly pictures: readonly (readonly [file: string, altText: string | null])[];
  /** Collections, with the position in each. */
  readonly places: Readonly<Record<string, number | null>>;
  readonly variants: readonly { readonly sku: string; readonly price: string; readonly stock: number }[];
  readonly isDeleted?: boolean;
}

export const products: readonly Item[] = [
  {
    ...{ id: 'mug', title: 'Enamel Mug “Möwe”', vendor: 'Atelier Émail', tags: ['camping'] },
    pictures: [
      ['mug-1.jpg', 'Mug from the front'],
      ['mug-2.jpg', 'Mug from above'],
      ['mug-3.jpg', null],
    ],
    places: { kitchen: 2, summer: 3 },
    variants: [
      { sku: 'MUG-W', price: '14.90', stock: 12 },
      { sku: 'MUG-B', price: '16.50', stock: 0 },
    ],
  },
  {
    ...{ id: 'pot', title: 'Cast Iron Teapot', vendor: 'Iwachu', pictures: [['pot.jpg', 'Teapot']] },
    places: { kitchen: 1 },
    variants: [{ sku: 'POT-1', price: '89.00', stock: 3 }],
  },
  {
    ...{ id: 'hat', title: 'Straw Hat', vendor: 'Sol', pictures: [], places: { summer: 1 } },
    variants: [
      { sku: 'HAT-S', price: '35.00', stock: 0 },
      { sku: 'HAT-L', price: '35.00', stock: 0 },
    ],
  },
  {
    ...{ id: 'towel', title: 'Beach Towel', vendor: 'Sol', pictures: [['towel.jpg', null]], places: { summer: null } },
    variants: [{ sku: 'TOW-1', price: '28.00', stock: 40 }],
  },
  {
    ...{ id: 'float', title: 'Ring Float', vendor: 'Sol', pictures: [], places: { summer: 2 } },
    variants: [{ sku: 'FLO-1', price: '19.00', stock: -2 }],
  },
  {
    ...{ id: 'strainer', title: 'Sieve for Tea', vendor: 'Atelier Émail', tags: ['mug'] },
    ...{ pictures: [['sieve.jpg', null]], places: {}, variants: [{ sku: 'SIE-1', price: '7.50', stock: 90 }] },
  },
  {
    ...{ id: 'gone', title: 'Parasol', vendor: 'Sol', pictures: [], places: { summer: 0 }, isDeleted: true },
    variants: [{ sku: 'PAR-1', price: '59.00', stock: 0 }],
  },
];

interface Line {
  readonly sku: string;
  readonly quantity: number;
  readonly total: string;
}

const line = (sku: string, quantity: number, total: string): Line => ({ sku, quantity, total });
const order = (number: string, at: string, currency: string, ...lines: readonly Line[]) => ({
  ...{ number, at, currency, lines },
});

export const orders = [
  order('#1008', '2026-10-31T23:59:59Z', 'EUR', line('POT-1', 9, '801.00')),
  order('#1009', '2026-11-01T00:00:00Z', 'EUR', line('MUG-W', 2, '29.80'), line('SIE-1', 12, '90.00')),
  order('#1010', '2026-11-04T10:00:00Z', 'EUR', line('MUG-B', 1, '16.50'), line('POT-1', 1, '89.00')),
  order('#1011', '2026-11-05T10:00:00Z', 'CHF', line('MUG-W', 40, '640.00')),
  order('#1012', '2026-11-20T10:00:00Z', 'EUR', line('TOW-1', 3, '84.00'), line('PAR-1', 5, '295.00')),
  order('#1013', '2026-11-30T23:59:59Z', 'EUR', line('MUG-W', 4, '59.60'), line('HAT-L', 2, '70.00')),
  order('#1014', '2026-12-01T00:00:00Z', 'EUR', line('HAT-S', 50, '1750.00')),
];

export const productOfSku = (sku: string): Item =>
  products.find(({ variants }) => variants.some((variant) => variant.sku === sku)) as Item;

export const pictureUrl = (file: string): string => `https://pictures.example/${file}`;
export const pageUrl = (id: string): string => `https://shop.example/products/${id}`;

/** Writes all of it to a shop. */
export async function seedMerchant(sql: Sql, shop: string): Promise<void> {
  for (const { id, title } of collections) await seedCollection(sql, shop, { external_id: id, title });
  for (const { id, title, vendor, tags = [], pictures, places, variants, isDeleted } of products) {
    const images = pictures.map(([file, alt], at) => ({ url: pictureUrl(file), alt_text: alt, position: at + 1 }));
    const product = await seedProduct(sql, shop, {
      ...{ external_id: id, title, handle: id, vendor, tags, url: pageUrl(id), images },
      ...{ image_url: images[0]?.url ?? null, deleted_at: isDeleted === true ? '2026-12-02Z' : null },
      memberships: Object.entries(places).map(([id, position]) => ({ collection_external_id: id, position })),
    });
    for (const [at, { sku, price, stock }] of variants.entries())
      await seedVariant(sql, shop, product, { sku, price, inventory_quantity: stock, position: at + 1 });
  }
  for (const { number, at, currency, lines } of orders)
    await seedOrder(sql, shop, {
      ...{ order_number: number, created_at: at, currency },
      line_items: lines.map(({ sku, quantity, total }) => ({
        ...{ sku, quantity, total, title: productOfSku(sku).title, unit_price: null },
        ...{ product_external_id: productOfSku(sku).id, variant_external_id: null },
      })),
    });
}
