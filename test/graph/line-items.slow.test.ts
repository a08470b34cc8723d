import { askGraphql } from '../support/graphql-client';
import { seedApiKey, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useService } from '../support/service';

const service = useService({ rateLimit: 100_000 });

const line = (values: object) => ({
  ...{ title: null, sku: null, quantity: 1, unit_price: null, total: null },
  ...{ product_external_id: null, variant_external_id: null, ...values },
});

async function seedLines(orders: readonly { at: string; currency: string | null; lines: readonly object[] }[]) {
  const { sql } = service;
  const shop = await seedShop(sql);
  const { apiKey } = await seedApiKey(sql, shop);
  const mug = await seedProduct(sql, shop, { external_id: 'mug' });
  const pot = await seedProduct(sql, shop, { external_id: 'pot' });
  const gone = await seedProduct(sql, shop, { external_id: 'gone', deleted_at: '2026-01-01Z' });
  // Two products with the same variant id, as on platforms that number variants within a product.
  const ofMug = await seedVariant(sql, shop, mug, { external_id: '1', sku: 'M-1' });
  const ofPot = await seedVariant(sql, shop, pot, { external_id: '1', sku: 'P-1' });
  await seedVariant(sql, shop, gone, { external_id: '9', sku: 'G-1' });
  for (const { at, currency, lines } of orders)
    await seedOrder(sql, shop, { created_at: at, currency, line_items: lines.map(line) });
  const ask = async <Data>(query: string, variables: Record<string, unknown> = {}, key = apiKey) => {
    const answer = await askGraphql<Data>(service.origin, key, query, variables);
    return answer;
  };
  return { shop, ids: { mug, pot, ofMug, ofPot }, ask };
}

describe('the lines of an order', () => {
  it('lead to product and variant by their ids, or by the SKU, if readers may see them', async () => {
    const lines = [
      { product_external_id: 'mug', variant_external_id: '1' },
      { product_external_id: 'pot', variant_external_id: '1', sku: 'M-1' },
      { product_external_id: 'pot', variant_external_id: '2' },
      { variant_external_id: '9' },
      { sku: 'P-1', quantity: 3, unit_price: '19.90', total: '59.70', title: 'Pot' },
      { sku: 'G-1' },
      { product_external_id: 'gone' },
      {},
    ];
    const { ids, ask } = await seedLines([{ at: '2026-01-01Z', currency: 'EUR', lines }]);
    const { data, errors } = await ask<{ orders: { nodes: { lineItems: Record<string, unknown>[] }[] } }>(
      '{ orders { nodes { lineItems { title sku quantity unitPrice total product { id } variant { id } } } } }',
    );
    expect(errors).toBeUndefined();
    const found = data.orders.nodes[0]?.lineItems ?? [];
    const refs = found.map(({ product, variant }) => [product, variant]);
    expect(refs).toEqual([
      [{ id: ids.mug }, { id: ids.ofMug }],
      [{ id: ids.pot }, { id: ids.ofPot }],
      [{ id: ids.pot }, null],
      [null, null],
      [{ id: ids.pot }, { id: ids.ofPot }],
      ...[6, 7, 8].map(() => [null, null]),
    ]);
    expect(found[4]).toMatchObject({ title: 'Pot', sku: 'P-1', quantity: 3, unitPrice: '19.90', total: '59.70' });
  });

  it('show products only to credentials that may read them', async () => {
    const { shop, ask } = await seedLines([{ at: '2026-01-01Z', currency: 'EUR', lines: [{ sku: 'P-1' }] }]);
    const { apiKey } = await seedApiKey(service.sql, shop, { scopes: ['orders:read'] });
    const { data, errors } = await ask<{ orders: { nodes: object[] } }>(
      '{ orders { nodes { lineItems { sku product { id } } } } }',
      {},
      apiKey,
    );
    expect(data.orders.nodes).toEqual([{ lineItems: [{ sku: 'P-1', product: null }] }]);
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  });
});

describe('best-selling products', () => {
  it('are summed by product and currency, within the range and the filter', async () => {
    const { ids, ask } = await seedLines([
      {
        at: '2026-11-02Z',
        currency: 'EUR',
        lines: [
          { product_external_id: 'mug', title: 'Mug', quantity: 2, total: '20.10' },
          { sku: 'P-1', title: 'Pot', quantity: 1, total: '99.00', product_external_id: '' },
        ],
      },
      { at: '2026-11-03Z', currency: 'EUR', lines: [{ product_external_id: 'mug', quantity: 3, total: '30' }] },
      { at: '2026-11-04Z', currency: 'USD', lines: [{ product_external_id: 'mug', quantity: 9, total: null }] },
      { at: '2026-12-01Z', currency: 'EUR', lines: [{ product_external_id: 'mug', quantity: 50, total: '1' }] },
    ]);
    await service.sql(
      `UPDATE orders SET line_items = regexp_replace(line_items::text, '("quantity": \\d+)', '\\1.0', 'g')::jsonb`,
    );
    const sold = async (given: string, filter: object = {}) => {
      const { data, errors } = await ask<{ orderFigures: { products: Record<string, unknown>[] } }>(
        `query ($filter: OrderFilter) { orderFigures(range: { from: "2026-11-01T00:00:00Z", to: "2026-12-01T00:00:00Z" }, filter: $filter) {
           products(${given}) { currency externalId sku title units revenue product { id } } } }`,
        { filter },
      );
      expect(errors).toBeUndefined();
      return data.orderFigures.products;
    };
    const mugs = { externalId: 'mug', sku: null, title: 'Mug', product: { id: ids.mug } };
    const inEuro = { ...mugs, currency: 'EUR', units: 5, revenue: '50.10' };
    const inDollar = { ...mugs, title: null, currency: 'USD', units: 9, revenue: '0' };
    const pots = {
      ...{ currency: 'EUR', externalId: null, sku: 'P-1', title: 'Pot', units: 1, revenue: '99.00' },
      product: { id: ids.pot },
    };
    expect(await sold('first: 5')).toEqual([inDollar, inEuro, pots]);
    expect(await sold('first: 2, sortKey: REVENUE', { currency: 'EUR' })).toEqual([pots, inEuro]);
    expect(await sold('first: 1')).toEqual([inDollar]);
    expect(await sold('first: 5', { skuIn: ['P-1'], currency: 'EUR' })).toEqual(
      [{ ...inEuro, units: 2, revenue: '20.10' }, pots].toSorted((a, b) => b.units - a.units),
    ); // the orders with the SKU, whole
    expect(await sold('first: 5', { currency: 'GBP' })).toEqual([]);
  });
});
