import { citusUrl } from '../support/citus-database';
import type { Random } from './random';

/**
 * One statement, or several in one message, as SQL with fully qualified table names, so it means the same under any
 * search path.
 */
export interface Operation {
  readonly name: string;
  readonly sql: string;
  /** Lines for COPY … FROM STDIN, when `sql` is one. */
  readonly lines?: readonly string[];
  /**
   * Locks its shop before anything else, or does not need to (docs/writers.md): as single statements, two of these
   * never deadlock.
   */
  readonly isOrderly: boolean;
}

/** On Citus, a statement names its shop by id. Elsewhere, writers know the domain. */
const namesById = citusUrl !== undefined;
const shopIds: Readonly<Record<string, string>> = {
  's0.example': '6b1c7c1e-0000-4000-8000-000000000001',
  's1.example': '6b1c7c1e-0000-4000-8000-000000000002',
  's2.example': '6b1c7c1e-0000-4000-8000-000000000005',
};
export const shopDomains = Object.keys(shopIds);
const productNames = Array.from({ length: 10 }, (_, n) => `p${n}`);
const variantNames = ['v0', 'v1', 'v2', 'v3'];
const names = Array.from({ length: 6 }, (_, n) => `n${n}`);
const moments = [
  ...['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z'],
  ...['2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
];
const prices = ['9.90', '10', '9.9', '0', '0.00', '-1.5', '1200', '99999999999999999999.999999999', '10.000', '007'];
const texts = [
  'Mug',
  'Glass jug',
  "it's",
  'a\\b',
  '"q"',
  'É mug',
  '漢字',
  '😀',
  '',
  'tab\tand\nline',
  'Kiln',
  '\u007f\u2028',
];
const tags = [
  'kitchen',
  'Kitchen',
  '',
  '%',
  '{}',
  'é',
  "it's",
  '"',
  '\\',
  `${'x'.repeat(499)}12`,
  `${'x'.repeat(499)}13`,
];

const quote = (value: string | number | boolean | null): string =>
  value === null ? 'NULL' : typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
const toArray = (values: readonly string[]): string => `ARRAY[${values.map(quote).join(',')}]::text[]`;
/** Under a malicious search path `=` may be anything. */
const equals = 'OPERATOR(pg_catalog.=)';
const among = (column: string, values: readonly string[]): string => `${column} ${equals} ANY (${toArray(values)})`;
const constantId = (domain: string): string => `${quote(shopIds[domain] ?? '')}::uuid`;
const isShop = (domain: string): string =>
  namesById ? `shop_id ${equals} ${constantId(domain)}` : `domain ${equals} ${quote(domain)}`;
const shopId = (domain: string): string =>
  namesById ? constantId(domain) : `(SELECT shop_id FROM public.shops WHERE ${isShop(domain)})`;
const lockedShop = (domain: string): string =>
  `(SELECT shop_id FROM public.shops WHERE ${isShop(domain)} FOR NO KEY UPDATE)`;

const nullable = <Value>(random: Random, value: Value): Value | null => (random.oneIn(4) ? null : value);

function options(random: Random): string {
  const each = () => ({
    ...(random.oneIn(4) && { id: 7, zz: null }),
    name: random.pick(texts),
    value: random.pick(texts),
  });
  return JSON.stringify(Array.from({ length: random.integer(3) }, each));
}

/** In collections that exist and that do not, and twice in the same one. */
const memberships = (random: Random): string =>
  JSON.stringify(
    Array.from({ length: random.integer(4) }, () => ({
      collection_external_id: random.pick([...names.slice(0, 3), 'none']),
      position: nullable(random, random.pick([1, 2, -2_147_483_648, 2_147_483_647])),
    })),
  );
const images = (random: Random): string =>
  JSON.stringify(
    Array.from({ length: random.integer(3) }, (_, at) => ({
      url: `https://images.example/${random.integer(5)}.jpg`,
      alt_text: nullable(random, random.pick(texts)),
      position: nullable(random, at + 1),
    })),
  );
const lineItems = (random: Random): string =>
  JSON.stringify(
    Array.from({ length: random.integer(3) }, () => ({
      ...{ title: nullable(random, random.pick(texts)), sku: nullable(random, random.pick(texts)), quantity: 2 },
      ...{ unit_price: nullable(random, '9.90'), total: nullable(random, '19.80') },
      product_external_id: nullable(random, random.pick(productNames)),
      variant_external_id: nullable(random, random.pick(variantNames)),
    })),
  );

const productColumns = `shop_id, external_id, title, handle, status, vendor, product_type, tags, description_html, image_url, url,
  images, memberships, published_at, created_at, updated_at, deleted_at`;
/** Rows as a subquery `g` with those columns, in random order. */
function productRows(random: Random, domain: string): string {
  const rows = random.some(productNames, 5).map((externalId) => {
    const value = (text: string | null, type = 'text') => `${quote(text)}::${type}`;
    return [
      value(externalId),
      value(random.pick(texts)),
      ...[value(nullable(random, random.pick(texts))), value(random.pick(['ACTIVE', 'DRAFT', 'ARCHIVED']))],
      ...[value(nullable(random, random.pick(texts))), value(nullable(random, random.pick(texts)))],
      random.oneIn(4) ? "'{}'::text[]" : toArray(random.some(tags, 3)),
      ...[value(nullable(random, random.pick(texts))), value(nullable(random, 'https://images.example/1.jpg'))],
      value(nullable(random, 'https://shop.example/mug')),
      ...[value(images(random), 'jsonb'), value(memberships(random), 'jsonb')],
      value(nullable(random, random.pick(moments)), 'timestamptz'),
      ...[value(random.pick(moments), 'timestamptz'), value(random.pick(moments), 'timestamptz')],
      value(random.oneIn(4) ? '2026-03-01Z' : null, 'timestamptz'),
    ].join(', ');
  });
  return `SELECT s.shop_id, r.* FROM (VALUES ${rows.map((row) => `(${row})`).join(', ')}) AS r (${productColumns.replace('shop_id, ', '')})
    CROSS JOIN public.shops AS s WHERE s.${isShop(domain)}`;
}
const updateProduct = `title = excluded.title, handle = excluded.handle, status = excluded.status, vendor = excluded.vendor,
  product_type = excluded.product_type, tags = excluded.tags, images = excluded.images, memberships = excluded.memberships, published_at = excluded.published_at,
  created_at = excluded.created_at, updated_at = excluded.updated_at, deleted_at = excluded.deleted_at`;

const variantColumns = `shop_id, product_id, external_id, title, sku, price, compare_at_price, inventory_quantity, weight, position,
  options, created_at, updated_at`;
function variantValues(random: Random): string {
  const rows = random
    .some(variantNames, 4)
    .map((externalId) =>
      [
        `${quote(externalId)}::text`,
        ...[random.pick(texts), nullable(random, random.pick(texts))].map((text) => `${quote(text)}::text`),
        ...[nullable(random, random.pick(prices)), nullable(random, random.pick(prices))].map(
          (p) => `${quote(p)}::text`,
        ),
        `${quote(nullable(random, random.pick([0, 1, -3, 9_007_199_254_740_991])))}::bigint`,
        `${quote(nullable(random, '0.250'))}::text`,
        `${quote(nullable(random, 1 + random.integer(3)))}::integer`,
        `${quote(options(random))}::jsonb`,
        ...[random.pick(moments), random.pick(moments)].map((moment) => `${quote(moment)}::timestamptz`),
      ].join(', '),
    );
  return `(VALUES ${rows.map((row) => `(${row})`).join(', ')}) AS r (${variantColumns.replace('shop_id, product_id, ', '')})`;
}
/**
 * Variants for some products of the shop. `products` is the source to join: the table, or rows just written by a CTE.
 */
const variantRows = (random: Random, domain: string, products = 'public.products'): string =>
  `SELECT p.shop_id, p.id, r.* FROM ${variantValues(random)} CROSS JOIN ${products} AS p
    WHERE p.shop_id ${equals} ${shopId(domain)} AND ${among('p.external_id', random.some(productNames, 3))}
    ORDER BY random()`;
const updateVariant = `title = excluded.title, price = excluded.price, inventory_quantity = excluded.inventory_quantity,
  position = excluded.position, options = excluded.options, updated_at = excluded.updated_at`;

/** Products of the shop, updated in random order; elsewhere the plan determines the order. */
const inSomeOrder = (random: Random, table: 'products' | 'variants', domain: string): string =>
  `(SELECT id FROM public.${table} WHERE shop_id ${equals} ${shopId(domain)}
      AND ${among('external_id', table === 'products' ? random.some(productNames, 5) : random.some(variantNames, 3))}
    ORDER BY ${random.pick(['id', 'id DESC', 'random()'])}) AS k`;
const updateProducts = (random: Random, domain: string, assignments: string): string =>
  `UPDATE public.products AS p SET ${assignments} FROM ${inSomeOrder(random, 'products', domain)}
    WHERE p.shop_id ${equals} ${shopId(domain)} AND p.id ${equals} k.id`;
const updateVariants = (random: Random, domain: string, assignments: string): string =>
  `UPDATE public.variants AS v SET ${assignments} FROM ${inSomeOrder(random, 'variants', domain)}
    WHERE v.shop_id ${equals} ${shopId(domain)} AND v.id ${equals} k.id`;

const orderColumns =
  'shop_id, external_id, order_number, currency, total_price, total_tax, total_shipping, financial_status, fulfillment_status, created_at, line_items';
/** The columns after the first three. */
const orderValues = (random: Random): string =>
  [
    ...[nullable(random, random.pick(['EUR', 'USD'])), ...[1, 2, 3].map(() => nullable(random, random.pick(prices)))],
    ...[nullable(random, random.pick(texts)), nullable(random, random.pick(['FULFILLED', 'x'.repeat(2000)]))],
  ]
    .map((value) => `${quote(value)}::text`)
    .concat(`${quote(nullable(random, random.pick(moments)))}::timestamptz`, `${quote(lineItems(random))}::jsonb`)
    .join(', ');
const updateOrder = (random: Random): string =>
  random
    .pick([
      ['total_price'],
      ['line_items'],
      ['financial_status', 'total_shipping', 'items_count'],
      ['created_at', 'fulfillment_status'],
      [
        'currency',
        'total_price',
        'total_tax',
        'total_shipping',
        'financial_status',
        'fulfillment_status',
        'created_at',
      ],
    ])
    .map((column) => `${column} = ${column === 'items_count' ? '2' : `excluded.${column}`}`)
    .join(', ');

type Make = (random: Random, domain: string) => string | { readonly sql: string; readonly lines: readonly string[] };

/** For one shop, shop first: INSERT, UPDATE, upsert, MERGE and COPY by themselves, DELETE because it locks the shop. */
const orderly: Readonly<Record<string, Make>> = {
  'insert products': (random, domain) =>
    `INSERT INTO public.products (${productColumns}) ${productRows(random, domain)} ON CONFLICT DO NOTHING`,
  'upsert products': (random, domain) =>
    `INSERT INTO public.products AS p (${productColumns}) ${productRows(random, domain)}
     ON CONFLICT (shop_id, external_id) DO UPDATE SET ${updateProduct}`,
  'merge products': (random, domain) =>
    `MERGE INTO public.products AS p USING (${productRows(random, domain)}) AS n (${productColumns})
       ON p.shop_id ${equals} n.shop_id AND p.external_id ${equals} n.external_id
     WHEN MATCHED THEN UPDATE SET created_at = n.created_at, tags = n.tags, memberships = n.memberships, deleted_at = n.deleted_at, title = n.title
     WHEN NOT MATCHED THEN INSERT (${productColumns}) VALUES (${productColumns.replaceAll(/(\w+)/g, 'n.$1')})`,
  'change texts': (random, domain) =>
    updateProducts(random, domain, `title = ${quote(random.pick(texts))}, handle = ${quote(random.pick(texts))}`),
  'change tags': (random, domain) => updateProducts(random, domain, `tags = ${toArray(random.some(tags, 3))}`),
  'change memberships': (random, domain) =>
    updateProducts(random, domain, `memberships = ${quote(memberships(random))}`),
  'change pictures': (random, domain) =>
    updateProducts(random, domain, `images = ${quote(images(random))}, url = ${quote(nullable(random, '/mug'))}`),
  'change nothing': (random, domain) => updateProducts(random, domain, 'title = p.title'),
  'move in time': (random, domain) => updateProducts(random, domain, `created_at = ${quote(random.pick(moments))}`),
  'soft delete': (random, domain) => updateProducts(random, domain, `deleted_at = '2026-03-01Z'`),
  restore: (random, domain) => updateProducts(random, domain, 'deleted_at = NULL'),
  'write derived columns of products': (random, domain) =>
    updateProducts(
      random,
      domain,
      `variant_count = ${random.integer(3)}, min_price = '0.01', max_price = '77', total_stock = 5`,
    ),
  'insert products with derived columns': (random, domain) =>
    `INSERT INTO public.products (shop_id, external_id, title, created_at, updated_at, variant_count, min_price, max_price)
     SELECT ${shopId(domain)}, ${quote(random.pick(productNames))}, 'Mug', '2026-01-01Z', '2026-01-01Z', 9, '1', '2'
         ON CONFLICT DO NOTHING`,
  'new ids for products without variants': (random, domain) =>
    updateProducts(random, domain, 'id = gen_random_uuid()') +
    ' AND NOT EXISTS (SELECT FROM public.variants AS v WHERE v.product_id ' +
    `${equals} p.id)`,
  'insert variants': (random, domain) =>
    `INSERT INTO public.variants (${variantColumns}) ${variantRows(random, domain)} ON CONFLICT DO NOTHING`,
  'upsert variants': (random, domain) =>
    `INSERT INTO public.variants AS v (${variantColumns}) ${variantRows(random, domain)}
     ON CONFLICT (shop_id, product_id, external_id) DO UPDATE SET ${updateVariant}`,
  'merge variants': (random, domain) =>
    `MERGE INTO public.variants AS v USING (${variantRows(random, domain)}) AS n (${variantColumns})
       ON v.shop_id ${equals} n.shop_id AND v.product_id ${equals} n.product_id AND v.external_id ${equals} n.external_id
     WHEN MATCHED THEN UPDATE SET price = n.price, position = n.position, options = n.options
     WHEN NOT MATCHED THEN INSERT (${variantColumns}) VALUES (${variantColumns.replaceAll(/(\w+)/g, 'n.$1')})`,
  'change prices': (random, domain) =>
    updateVariants(random, domain, `price = ${quote(nullable(random, random.pick(prices)))}`),
  'change stock': (random, domain) =>
    updateVariants(random, domain, `inventory_quantity = ${quote(nullable(random, random.integer(50)))}`),
  'change positions': (random, domain) => updateVariants(random, domain, `position = ${1 + random.integer(3)}`),
  'change SKUs': (random, domain) =>
    updateVariants(random, domain, `sku = ${quote(nullable(random, random.pick(texts)))}`),
  'change options': (random, domain) =>
    updateVariants(random, domain, `options = ${quote(options(random))}, title = ${quote(random.pick(texts))}`),
  'new ids for variants': (random, domain) => updateVariants(random, domain, 'id = gen_random_uuid()'),
  'move variants to another product': (random, domain) =>
    `${updateVariants(
      random,
      domain,
      `product_id = (SELECT id FROM public.products WHERE shop_id ${equals} ${shopId(domain)}
         AND external_id ${equals} ${quote(random.pick(productNames))}), external_id = left(v.id::text, 8)`,
    )} AND EXISTS (SELECT FROM public.products WHERE shop_id ${equals} ${shopId(domain)}
         AND external_id ${equals} ${quote(random.pick(productNames))})`,
  'one product with its variants': (random, domain) =>
    `WITH product AS (
       INSERT INTO public.products AS p (${productColumns}) ${productRows(random, domain)}
       ON CONFLICT (shop_id, external_id) DO UPDATE SET ${updateProduct}
       RETURNING p.shop_id, p.id, p.external_id)
     INSERT INTO public.variants AS v (${variantColumns}) ${variantRows(random, domain, 'product')}
     ON CONFLICT (shop_id, product_id, external_id) DO UPDATE SET ${updateVariant}`,
  'products and variants in one statement': (random, domain) =>
    `WITH p AS (UPDATE public.products SET title = ${quote(random.pick(texts))}, deleted_at = NULL WHERE shop_id ${equals} ${shopId(domain)})
     ${updateVariants(random, domain, `sku = ${quote(nullable(random, random.integer(50)))}`)}`,
  'variants and orders in one statement': (random, domain) =>
    `WITH o AS (UPDATE public.orders SET items_count = 3 WHERE shop_id ${equals} ${shopId(domain)})
     ${updateVariants(random, domain, `price = ${quote(random.pick(prices))}`)}`,
  'limit and products in one statement': (random, domain) =>
    `WITH s AS (UPDATE public.shops SET product_limit = ${quote(nullable(random, random.integer(7)))}
                 WHERE ${isShop(domain)})
     INSERT INTO public.products AS p (${productColumns}) ${productRows(random, domain)}
     ON CONFLICT (shop_id, external_id) DO UPDATE SET ${updateProduct}`,
  'set the limit': (random, domain) =>
    `UPDATE public.shops SET product_limit = ${quote(nullable(random, random.integer(7)))}
      WHERE ${isShop(domain)}`,
  'change the shop': (random, domain) =>
    `UPDATE public.shops SET name = ${quote(random.pick(texts))}, last_sync_at = now() WHERE ${isShop(domain)}`,
  'write derived columns of the shop': (random, domain) =>
    `UPDATE public.shops SET live_product_count = ${random.integer(9)}, visible_until_at = '2026-01-01Z', data_version = 5,
            product_limit = ${random.oneIn(2) ? 'product_limit' : '3'}
      WHERE ${isShop(domain)}`,
  'rename collections': (random, domain) =>
    `UPDATE public.collections SET external_id = ${quote(random.pick(['none', 'n0']))}
      WHERE shop_id ${equals} ${shopId(domain)} AND external_id ${equals} ${quote(random.pick(['none', 'n0']))}`,
  'upsert collections': (random, domain) =>
    `INSERT INTO public.collections AS c (shop_id, external_id, title, published, products_count, created_at, updated_at)
     SELECT ${shopId(domain)}, n, ${quote(random.pick(texts))}, ${random.oneIn(2)}, 3,
            ${quote(nullable(random, random.pick(moments)))}, now()
       FROM unnest(${toArray(random.some(names, 3))}) AS n WHERE ${shopId(domain)} IS NOT NULL
     ON CONFLICT (shop_id, external_id) DO UPDATE SET title = excluded.title, created_at = excluded.created_at`,
  'upsert orders': (random, domain) =>
    `INSERT INTO public.orders AS o (${orderColumns})
     SELECT ${shopId(domain)}, n, n, ${orderValues(random)}
       FROM unnest(${toArray(random.some(names, 3))}) AS n WHERE ${shopId(domain)} IS NOT NULL
     ON CONFLICT (shop_id, external_id) DO UPDATE SET ${updateOrder(random)}`,
  'merge orders': (random, domain) =>
    `MERGE INTO public.orders AS o USING (
       SELECT ${shopId(domain)} AS shop_id, n AS name, ${orderValues(random)}
         FROM unnest(${toArray(random.some(names, 4))}) AS n WHERE ${shopId(domain)} IS NOT NULL) AS e (${orderColumns.replace('order_number, ', '')})
       ON o.shop_id ${equals} e.shop_id AND o.external_id ${equals} e.external_id
     WHEN MATCHED AND ${random.pick(['true', 'e.total_tax IS NULL'])} THEN UPDATE SET ${updateOrder(random).replaceAll('excluded.', 'e.')}
     WHEN MATCHED THEN DELETE
     WHEN NOT MATCHED THEN INSERT (${orderColumns}) VALUES (${orderColumns.replaceAll(/(\w+)/g, 'e.$1').replace('e.order_number', 'e.external_id')})`,
  'change orders': (random, domain) =>
    `UPDATE public.orders SET ${random.pick([
      `financial_status = ${quote(random.pick(texts))}`,
      `fulfillment_status = ${quote(nullable(random, 'FULFILLED'))}, currency = ${quote(random.pick(['EUR', 'JPY']))}`,
      `total_tax = ${quote(nullable(random, random.pick(prices)))}`,
      `created_at = ${quote(nullable(random, random.pick(moments)))}`,
      'id = gen_random_uuid()',
      "items_count = 7, tags = '{x}'",
      `line_items = ${quote(lineItems(random))}`,
    ])} WHERE shop_id ${equals} ${shopId(domain)} AND ${among('external_id', random.some(names, 4))}`,
  'delete products, shop first': (random, domain) =>
    `WITH s AS MATERIALIZED ${lockedShop(domain)}
     DELETE FROM public.products AS p USING s
      WHERE p.shop_id ${equals} s.shop_id AND ${among('p.external_id', random.some(productNames, 2))}`,
  'delete variants, shop first': (random, domain) =>
    `WITH s AS MATERIALIZED ${lockedShop(domain)}
     DELETE FROM public.variants AS v USING s
      WHERE v.shop_id ${equals} s.shop_id AND ${among('v.external_id', random.some(variantNames, 2))}`,
  'delete orders and collections, shop first': (random, domain) =>
    `WITH s AS MATERIALIZED ${lockedShop(domain)}, o AS (
       DELETE FROM public.orders AS o USING s WHERE o.shop_id ${equals} s.shop_id AND ${among('o.external_id', random.some(names, 2))})
     DELETE FROM public.collections AS c USING s
      WHERE c.shop_id ${equals} s.shop_id AND ${among('c.external_id', random.some(names, 2))}`,
  'copy products': (random, domain) => ({
    sql: `COPY public.products (shop_id, external_id, title, created_at, updated_at, deleted_at) FROM STDIN`,
    lines: random
      .some(productNames, 4)
      .map((name) =>
        [`{${domain}}`, name, 'Mug', random.pick(moments), moments[0], random.oneIn(3) ? '2026-03-01Z' : '\\N'].join(
          '\t',
        ),
      ),
  }),
  'delete the shop': (_, domain) => `DELETE FROM public.shops WHERE ${isShop(domain)}`,
  'several statements in one message': (random, domain) =>
    [
      `INSERT INTO public.products (${productColumns}) ${productRows(random, domain)} ON CONFLICT DO NOTHING`,
      updateProducts(random, domain, `created_at = ${quote(random.pick(moments))}`),
      updateVariants(random, domain, `price = ${quote(random.pick(prices))}`),
      updateProducts(random, domain, `deleted_at = ${random.oneIn(2) ? 'NULL' : "'2026-03-01Z'"}`),
    ].join('; '),
};

/** Rows before the shop, or several shops: these may deadlock with others. */
const disorderly: Readonly<Record<string, Make>> = {
  'delete products': (random, domain) =>
    `DELETE FROM public.products WHERE shop_id ${equals} ${shopId(domain)} AND ${among('external_id', random.some(productNames, 2))}`,
  'delete variants': (random) =>
    `DELETE FROM public.variants WHERE ${among('external_id', random.some(variantNames, 2))}`,
  'merge and delete products': (random, domain) =>
    `MERGE INTO public.products AS p USING (${productRows(random, domain)}) AS n (${productColumns})
       ON p.shop_id ${equals} n.shop_id AND p.external_id ${equals} n.external_id
     WHEN MATCHED AND n.deleted_at IS NOT NULL THEN DELETE
     WHEN MATCHED THEN UPDATE SET created_at = n.created_at, deleted_at = NULL
     WHEN NOT MATCHED THEN INSERT (${productColumns}) VALUES (${productColumns.replaceAll(/(\w+)/g, 'n.$1')})`,
  'delete and insert products': (random, domain) =>
    `WITH gone AS (DELETE FROM public.products WHERE ${among('external_id', random.some(productNames, 2))})
     INSERT INTO public.products (${productColumns}) ${productRows(random, domain)} ON CONFLICT DO NOTHING`,
  'delete and insert variants': (random, domain) =>
    `WITH gone AS (DELETE FROM public.variants WHERE position ${equals} 1)
     INSERT INTO public.variants (${variantColumns}) ${variantRows(random, domain)} ON CONFLICT DO NOTHING`,
  'products of all shops': (random) =>
    `UPDATE public.products SET created_at = ${quote(random.pick(moments))}, tags = ${toArray(random.some(tags, 2))}
      WHERE ${among('external_id', random.some(productNames, 3))}`,
  'variants of all shops': (random) =>
    `UPDATE public.variants SET price = ${quote(random.pick(prices))} WHERE ${among('external_id', random.some(variantNames, 2))}`,
  'limits of all shops': (random) =>
    `UPDATE public.shops SET product_limit = ${quote(nullable(random, random.integer(7)))}`,
  'move products to another shop': (random, domain) =>
    `WITH gone AS (DELETE FROM public.variants WHERE product_id IN (
       SELECT id FROM public.products WHERE ${among('external_id', productNames.slice(0, 3))}))
     UPDATE public.products AS p SET shop_id = ${shopId(domain)}, external_id = left(p.id::text, 8)
      WHERE ${among('p.external_id', random.some(productNames.slice(0, 3), 2))} AND ${shopId(domain)} IS NOT NULL`,
  'move orders to another shop': (random, domain) =>
    `UPDATE public.orders AS o SET shop_id = ${shopId(domain)}, external_id = o.id::text, fulfillment_status = 'MOVED'
      WHERE ${among('o.external_id', random.some(names, 2))} AND ${shopId(domain)} IS NOT NULL`,
  'truncate variants': () => 'TRUNCATE public.variants',
  'truncate products': () => 'TRUNCATE public.products CASCADE',
  'truncate orders and collections': () => 'TRUNCATE public.orders, public.collections',
};

/** Without these, an empty shop would stay empty. */
const filling = ['upsert products', 'one product with its variants', 'upsert variants', 'insert variants'];
const rare = ['truncate variants', 'truncate products', 'truncate orders and collections', 'delete the shop'];

export function chooseOperation(random: Random, { onlyOrderly }: { readonly onlyOrderly: boolean }): Operation {
  const domain = random.pick(shopDomains);
  for (;;) {
    const isOrderly = onlyOrderly || !random.oneIn(5);
    const makes = isOrderly ? orderly : disorderly;
    const name = isOrderly && random.oneIn(4) ? random.pick(filling) : random.pick(Object.keys(makes));
    if (rare.includes(name) && !random.oneIn(8)) continue;
    const made = (makes[name] as Make)(random, domain);
    return { name, isOrderly, ...(typeof made === 'string' ? { sql: made } : made) };
  }
}

/** Creates what an empty database needs: all missing shops. */
export const createShops = (random: Random): string =>
  `INSERT INTO public.shops (shop_id, domain, name, product_limit) VALUES ${shopDomains
    .map((domain) => `(${constantId(domain)}, ${quote(domain)}, 'Kiln', ${quote(nullable(random, random.integer(7)))})`)
    .join(', ')} ON CONFLICT DO NOTHING`;
