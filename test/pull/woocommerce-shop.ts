import { json, startPlatform, type PlatformAnswer, type PlatformServer, type Seen } from './platform-server';

export interface WooObject {
  readonly id: number;
  readonly date_modified_gmt: string;
  readonly [member: string]: unknown;
}

/** The objects of a shop, which a test may change at any time. */
export interface WooShop {
  products: WooObject[];
  readonly variations: Map<number, WooObject[]>;
  orders: WooObject[];
}

export const wooKey = { key: 'ck_0123', secret: 'cs_4567' };
const authorization = `Basic ${Buffer.from(`${wooKey.key}:${wooKey.secret}`).toString('base64')}`;

const at = '2026-01-02T03:04:05';

export const wooProduct = (id: number, members: object = {}): WooObject => ({
  id,
  name: `Product ${id}`,
  slug: `product-${id}`,
  type: 'simple',
  status: 'publish',
  description: `<p>${id}</p>`,
  sku: `S${id}`,
  global_unique_id: '',
  regular_price: '12.00',
  sale_price: '10.00',
  on_sale: true,
  manage_stock: true,
  stock_quantity: id,
  weight: '0.5',
  categories: [{ id: 9, name: 'Cups &amp; more', slug: 'cups' }],
  tags: [{ id: 1, name: 'a' }],
  brands: [],
  images: [{ id: 1, src: 'https://shop.example/a.jpg', alt: 'Red' }],
  permalink: `https://shop.example/product/${id}`,
  attributes: [],
  variations: [],
  meta_data: [],
  menu_order: 0,
  parent_id: 0,
  date_created_gmt: at,
  date_modified_gmt: at,
  purchase_note: 'for ann@example.com',
  ...members,
});

export const wooVariation = (id: number, size: string): WooObject => ({
  id,
  sku: `V${id}`,
  status: 'publish',
  type: 'variation',
  global_unique_id: '',
  regular_price: '20.00',
  sale_price: '',
  on_sale: false,
  date_on_sale_from_gmt: null,
  date_on_sale_to_gmt: null,
  manage_stock: true,
  stock_quantity: id,
  weight: '',
  image: null,
  attributes: [{ id: 1, name: 'Size', option: size }],
  menu_order: id,
  date_created_gmt: at,
  date_modified_gmt: at,
});

export const wooOrder = (id: number, members: object = {}): WooObject => ({
  id,
  number: String(id),
  status: 'processing',
  currency: 'EUR',
  total: '39.90',
  total_tax: '6.37',
  shipping_total: '4.90',
  billing: { first_name: 'Ann', last_name: 'Berg', email: 'ann@example.com', phone: '123' },
  shipping: { first_name: 'Ann', last_name: 'Berg' },
  line_items: [
    {
      id: 1,
      name: 'Mug &amp; cup',
      sku: 'S1',
      product_id: 1,
      variation_id: 0,
      quantity: 2,
      subtotal: '35.00',
      total: '33.00',
    },
  ],
  refunds: [],
  date_created_gmt: at,
  date_modified_gmt: at,
  date_paid_gmt: at,
  date_completed_gmt: null,
  customer_note: 'call ann@example.com',
  ...members,
});

/** WordPress's `_fields`: members, and members of members. */
function onlyFields(object: WooObject, fields: readonly string[]): object {
  const kept: Record<string, unknown> = {};
  for (const field of fields) {
    const [name = '', inner] = field.split('.');
    if (object[name] === undefined) continue;
    if (inner === undefined) kept[name] = object[name];
    else {
      const value = (object[name] as Record<string, unknown> | null)?.[inner];
      if (value !== undefined) kept[name] = { ...(kept[name] as object | undefined), [inner]: value };
    }
  }
  return kept;
}

function answer(shop: WooShop, { url, headers }: Seen): PlatformAnswer {
  const path = url.pathname.replace('/wp-json/wc/v3/', '');
  if (headers.authorization !== authorization) {
    return { status: 401, body: JSON.stringify({ code: 'woocommerce_rest_cannot_view', message: 'Sorry, you cannot list resources.' }) }; // prettier-ignore
  }
  const variationsOf = /^products\/(\d+)\/variations$/.exec(path)?.[1];
  if (variationsOf !== undefined && !shop.products.some(({ id }) => id === Number(variationsOf))) {
    return {
      status: 404,
      body: JSON.stringify({ code: 'woocommerce_rest_product_invalid_id', message: 'Invalid ID.' }),
    };
  }
  const all =
    variationsOf !== undefined
      ? (shop.variations.get(Number(variationsOf)) ?? [])
      : path === 'products'
        ? shop.products
        : path === 'orders'
          ? shop.orders
          : undefined;
  if (all === undefined) return { status: 404, body: JSON.stringify({ code: 'rest_no_route', message: 'No route.' }) };
  const get = (name: string): string => url.searchParams.get(name) ?? '';
  // WordPress moves a time with a zone to the shop's, UTC+13 here, and compares it with the GMT column even so.
  const given = get('modified_after');
  const since = given.endsWith('Z') ? new Date(Date.parse(given) + 13 * 3_600_000).toISOString() : given;
  const found = all
    .filter(({ date_modified_gmt: modified }) => modified > since)
    .sort((a, b) => (get('orderby') === 'id' && get('order') === 'asc' ? a.id - b.id : b.id - a.id));
  const offset = Number(get('offset') || '0');
  const page = found.slice(offset, offset + Number(get('per_page') || '10'));
  return json(
    page.map((object) => onlyFields(object, get('_fields').split(','))),
    { 'X-WP-Total': String(found.length) },
  );
}

export const startWooCommerce = (shop: WooShop): Promise<PlatformServer> => startPlatform((seen) => answer(shop, seen));
