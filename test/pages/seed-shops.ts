import { seedFigures } from '../dashboard/seed-figures';
import { keepSecret } from '../support/private-texts';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { Sql } from '../support/test-database';

export type Shops = Readonly<
  Record<'own' | 'empty' | 'undated' | 'large' | 'amounts' | 'noOrders' | 'long' | 'rightToLeft' | 'revoked', string>
>;

/** @returns a key for each shop that makes pages look different */
export async function seedShops(sql: Sql): Promise<Shops> {
  const keyOf = async (shop: string, values: Parameters<typeof seedApiKey>[2] = {}) =>
    keepSecret((await seedApiKey(sql, shop, { name: 'Back office', ...values })).apiKey);
  const own = await seedFigures(sql, Date.now());
  return {
    own: await keyOf(own),
    revoked: await keyOf(own, { revoked_at: new Date() }),
    noOrders: await keyOf(own, { scopes: ['account:read', 'catalog:read'] }),
    empty: await keyOf(await seedShop(sql)),
    undated: await keyOf(await seedUndated(sql)),
    large: await keyOf(await seedLarge(sql)),
    amounts: await keyOf(await seedAmounts(sql)),
    long: await keyOf(
      await seedTexts(sql, {
        shop: 'Donaudampfschifffahrtsgesellschaftskapitänsmützen und Zubehör',
        title: 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaftsbecher',
        vendor: 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz & Söhne',
        tag: 'kraftfahrzeug-haftpflichtversicherungsgesellschaft',
        customer: 'Wolfeschlegelsteinhausenbergerdorff-Montmorency, Hubert Blaine',
        number: 'RE-2026-000000000000000000000000000000001',
      }),
    ),
    rightToLeft: await keyOf(
      await seedTexts(sql, {
        shop: 'متجر الخزف اليدوي',
        title: 'كوب خزفي أزرق مصنوع يدويًا (300 مل)',
        vendor: 'ورشة النيل',
        tag: 'هدايا',
        customer: 'نور الهاشمي',
        number: '#1010',
      }),
    ),
  };
}

async function seedUndated(sql: Sql): Promise<string> {
  const shop = await seedShop(sql);
  for (const order_number of ['7001', '7002', '7003'])
    await seedOrder(sql, shop, { order_number, created_at: null, financial_status: null });
  return shop;
}

async function seedLarge(sql: Sql): Promise<string> {
  const shop = await seedShop(sql, { name: 'Ten Thousand Things' });
  await sql(
    `INSERT INTO products (shop_id, external_id, title, handle, vendor, product_type, tags, status, created_at, updated_at)
      SELECT $1, 'l-' || n, 'Mug no. ' || n, 'mug-' || n, 'Vendor ' || n % 300, 'Mugs', ARRAY['tag-' || n % 90], 'ACTIVE',
             now() - n * interval '1 minute', now() - n * interval '1 minute' FROM generate_series(1, 10000) AS n`,
    [shop],
  );
  await sql(
    `INSERT INTO orders (shop_id, external_id, order_number, currency, total_price, subtotal_price, total_tax, total_shipping,
                         financial_status, items_count, created_at, updated_at)
      SELECT $1, 'o-' || n, '#' || 100000 + n, (ARRAY['EUR', 'USD', 'GBP', 'CHF', 'JPY', 'SEK', 'PLN'])[1 + n % 7], 1234567.89, 1234567.89, 0, 0,
             (ARRAY['PAID', 'PENDING', 'AUTHORIZED', 'REFUNDED', 'PARTIALLY_REFUNDED', 'VOIDED'])[1 + n % 6], 120, now() - n * interval '3 hours', now()
        FROM generate_series(1, 3000) AS n`,
    [shop],
  );
  return shop;
}

/** Amounts of up to 30 digits, mostly in a currency whose code Intl writes in full. */
async function seedAmounts(sql: Sql): Promise<string> {
  const shop = await seedShop(sql, { name: 'Billions', currency: 'CHF' });
  for (const digits of [1, 6, 9, 12, 15, 20, 30]) {
    const amount = `${'987654321'.repeat(4).slice(0, digits)}.12`;
    const product = await seedProduct(sql, shop, { title: `Mug of ${digits} digits`, status: 'ACTIVE' });
    await seedVariant(sql, shop, product, { price: amount, inventory_quantity: 2_147_483_647 });
    for (const currency of ['CHF', 'CHF', ['BHD', 'CLF', 'JPY', 'XAU', null][digits % 5]])
      await seedOrder(sql, shop, { currency, total_price: amount, subtotal_price: amount, total_tax: '0', total_shipping: '0', items_count: 2_147_483_647, created_at: new Date(Date.now() - digits * 86_400_000) }); // prettier-ignore
  }
  return shop;
}

interface Texts {
  readonly shop: string;
  readonly title: string;
  readonly vendor: string;
  readonly tag: string;
  readonly customer: string;
  readonly number: string;
}

async function seedTexts(sql: Sql, { shop: name, title, vendor, tag, customer, number }: Texts): Promise<string> {
  const shop = await seedShop(sql, { name, last_sync_at: new Date() });
  for (let index = 0; index < 14; index += 1) {
    const collection = `in-${index}`;
    const product = await seedProduct(sql, shop, {
      title: `${title} ${index}`,
      vendor: `${vendor} ${index}`,
      tags: [tag, `${tag}-${index}`],
      status: 'ACTIVE',
      product_type: vendor,
      memberships: ['in-0', collection].map((id) => ({ collection_external_id: id, position: null })),
      images: ['a', 'b', 'c'].map((name) => ({ url: `https://cdn.example/${name}.png`, alt_text: name === 'a' ? title : null, position: null })),
    }); // prettier-ignore
    const skuOf = (variant: number) => `${tag}-${index}-${variant}`.toUpperCase();
    for (let variant = 0; variant < 3; variant += 1)
      await seedVariant(sql, shop, product, { title: `${title} / ${variant}`, sku: skuOf(variant), price: '1234567.89', inventory_quantity: variant }); // prettier-ignore
    await seedCollection(sql, shop, { external_id: collection, title: `${title} ${index}` });
    const line = { title, sku: skuOf(1), quantity: 12, unit_price: '1234567.89', total: '14814814.68', product_external_id: null, variant_external_id: null }; // prettier-ignore
    await seedOrder(sql, shop, { order_number: `${number}${index}`, customer_name: customer, tags: [tag], total_price: '9876543.21', line_items: [line], created_at: new Date(Date.now() - index * 86_400_000) }); // prettier-ignore
  }
  return shop;
}
