import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { exchange } from '../support/rest-client';
import { seedLargeShop } from '../support/paused-export';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useService } from '../support/service';

const service = useService({ rateLimit: 10_000 });

const image = { url: '/a.png', alt_text: null, position: 1 };
const membership = { collection_external_id: 'summer', position: 2 };
const lineItem = {
  ...{ title: 'Mug of', sku: 'M-1', quantity: 2, unit_price: '19.90', total: '39.80' },
  ...{ product_external_id: null, variant_external_id: 'v' },
};

type Line = Readonly<Record<string, unknown>> & { readonly type: string };

const parse = (ndjson: string): Line[] => {
  expect(ndjson.endsWith('\n')).toBe(true);
  return ndjson.slice(0, -1).split('\n').map((line) => JSON.parse(line) as Line); // prettier-ignore
};

async function get(apiKey: string | undefined, query = '', headers: Readonly<Record<string, string>> = {}) {
  const authorization = apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` };
  return exchange(service.origin, `/export${query}`, { method: 'GET', headers: { ...authorization, ...headers } });
}

async function exportLines(apiKey: string, query = ''): Promise<Line[]> {
  const { status, text } = await get(apiKey, query);
  expect(status).toBe(200);
  return parse(text);
}

const isLineOf = (type: string) => (line: Line) => line.type === type;

/**
 * A shop with everything that is easily lost: odd texts, products without variants, orders without a date, hidden
 * products.
 */
async function seedWholeShop(values: Parameters<typeof seedShop>[1] = {}) {
  const { sql } = service;
  const shop = await seedShop(sql, { name: 'Tea "& Co"\u2028', ...values });
  const products: string[] = [];
  for (let index = 0; index < 7; index += 1) {
    const title = ['Größe 🎁', 'a\nb', '\\', '"', '\u0001\u0002', 'x\ty', '<b>'][index] as string;
    const created_at = `2026-01-0${index + 1}T00:00:00Z`;
    const product = await seedProduct(sql, shop, {
      ...{ title, description_html: title, created_at, url: '/p' },
      ...{ images: [image], memberships: [membership] },
    });
    products.push(product);
    for (let variant = 0; variant < index; variant += 1) {
      await seedVariant(sql, shop, product, { title, position: 10 - variant, barcode: '00012', price: '19.90' });
    }
  }
  await sql(`UPDATE products SET deleted_at = now() WHERE id = $1`, [products[2]]);
  await seedCollection(sql, shop, { title: 'Tees' });
  await seedOrder(sql, shop, {
    customer_name: 'Bob <bob@mail.example>',
    external_id: 'of@mail.example',
    tags: ['a', 'c@mail.example'],
    line_items: [{ ...lineItem, title: 'Mug of <bob@mail.example>' }],
  });
  await seedOrder(sql, shop, { created_at: null, line_items: [lineItem] });
  const { apiKey } = await seedApiKey(sql, shop);
  return { shop, apiKey, products };
}

/** A list as the REST API shows it, page by page. */
async function walk(apiKey: string, path: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  let cursor = '';
  for (;;) {
    const { body } = await service.client(apiKey).call(`${path}?limit=3${cursor}`);
    const page = body as { data: Record<string, unknown>[]; has_more: boolean; next_cursor: string };
    found.push(...page.data);
    if (!page.has_more) return found;
    cursor = `&cursor=${page.next_cursor}`;
  }
}

const withoutType = ({ type: _, ...object }: Line) => object;

/** What exports contain in addition to REST's members, which are those of `seedWholeShop`'s products and orders. */
const more = { product: { url: '/p', images: [image], memberships: [membership] }, order: { line_items: [lineItem] } };

describe('GET /export', () => {
  it.each([[null], [3], [0]])('has what the REST API shows, in its order, with a limit of %s', async (limit) => {
    const { shop, apiKey } = await seedWholeShop({ product_limit: limit });
    const lines = await exportLines(apiKey);
    const ids = (await walk(apiKey, '/v1/products')).map(({ id }) => id as string);
    const products = await Promise.all(
      ids.map(async (id) => ((await service.client(apiKey).call(`/v1/products/${id}`)).body as { data: object }).data),
    );
    expect(lines.filter(isLineOf('product')).map(withoutType)).toEqual(
      products.map((product) => expect.objectContaining({ ...product, ...more.product }) as object),
    );
    expect(lines.filter(isLineOf('collection')).map(withoutType)).toEqual(await walk(apiKey, '/v1/collections'));
    expect(lines.filter(isLineOf('order')).map(withoutType)).toEqual(
      (await walk(apiKey, '/v1/orders')).map((order) => ({ ...order, ...more.order })),
    );
    expect(JSON.stringify(lines)).not.toContain('mail.example');
    const variants = (products as { variants: unknown[] }[]).reduce((sum, product) => sum + product.variants.length, 0);
    expect(lines[0]).toMatchObject({
      ...{
        type: 'shop',
        id: shop,
        name: 'Tea "& Co"\u2028',
        export: 'snapshot',
        version: expect.any(String) as string,
      },
      types: ['products', 'collections', 'orders'],
    });
    expect(lines.at(-1)).toEqual({ type: 'complete', products: products.length, variants, collections: 1, orders: 2 });
  });

  it('has each variant on its own line as jsonl', async () => {
    const { apiKey } = await seedWholeShop();
    const nested = await exportLines(apiKey, '?types=products');
    const flat = await exportLines(apiKey, '?format=jsonl&types=products');
    const expected = nested
      .slice(1, -1)
      .flatMap(({ variants, ...product }) => [
        product,
        ...(variants as object[]).map((variant) => ({ type: 'variant', product_id: product['id'], ...variant })),
      ]);
    expect(flat.slice(1, -1)).toEqual(expected);
    expect(flat.at(-1)).toEqual(nested.at(-1));
  });

  it('keeps no complete line in memory of a product that is too large', async () => {
    const shop = await seedShop(service.sql);
    const { apiKey } = await seedApiKey(service.sql, shop);
    const product = await seedProduct(service.sql, shop);
    await service.sql(
      `INSERT INTO variants (shop_id, product_id, external_id, title, position, created_at, updated_at)
       SELECT $1, $2, n, repeat('x', 9000), n, now(), now() FROM generate_series(1, 4000) AS n`,
      [shop, product],
    );
    let largest = 0;
    const original = Buffer.concat.bind(Buffer);
    const concat = jest.spyOn(Buffer, 'concat').mockImplementation((parts, length) => {
      const joined = original(parts, length);
      largest = Math.max(largest, joined.length);
      return joined;
    });
    try {
      let bytes = 0;
      for await (const chunk of await open(apiKey, '?types=products')) bytes += (chunk as Buffer).length;
      expect(bytes).toBeGreaterThan(36_000_000);
    } finally {
      concat.mockRestore();
    }
    expect(largest).toBeLessThan(2 * 1024 * 1024);
  });

  it.each([...['?types=products&types=orders', '?format=csv', '?types=%ff', '?format=snapshot&format=snapshot']])(
    'refuses %s',
    async (query) => {
      const { apiKey } = await seedApiKey(service.sql, await seedShop(service.sql));
      const { status, text } = await get(apiKey, query);
      expect([status, (JSON.parse(text) as { error: { code: string } }).error.code]).toEqual([400, 'BAD_USER_INPUT']);
    },
  );
});

/** The response, before its body is read. */
const open = (apiKey: string, query = '', headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const sent = { Authorization: `Bearer ${apiKey}`, ...headers };
    request(`${service.origin}/export${query}`, { headers: sent, agent: false }, resolve).on('error', reject).end();
  });

it('an export shows one snapshot, whatever is written meanwhile', async () => {
  const shop = await seedLargeShop(service.sql, 300);
  const { apiKey } = await seedApiKey(service.sql, shop);
  const response = await open(apiKey, '?types=products');
  await service.sql(`UPDATE products SET title = 'late' WHERE shop_id = $1`, [shop]);
  const body = await readText(response);
  expect(body).not.toContain('"late"');
  expect(parse(body).at(-1)).toMatchObject({ type: 'complete', products: 300 });
});
