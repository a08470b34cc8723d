import { model } from '../../src/catalog/model';
import { ImportHarness, lines, order } from '../ingest/import-harness';
import { csv } from '../ingest/make-files';
import { fc } from '../support/properties';
import { seedOrder } from '../support/seed';
import { innocentTexts, spellings } from './corpus';
import { findAddressesNaively } from './naive-detector';

const { count, bytes } = model.orders.lineItems;

let harness: ImportHarness;
beforeAll(async () => (harness = await ImportHarness.create()));
afterAll(() => harness.close());

interface Line {
  readonly title: string;
  readonly sku: string;
  readonly quantity: number;
}

/** What a customer wrote: it is in every place of a file that a platform has for it. */
const written = 'Written by the customer';
const note = { name: 'Engraving', value: written };
const address = { address1: written, company: written, phone: written };

const price = '2.50';
const gid = (type: string, id: number) => `gid://shopify/${type}/${id}`;
const money = { shopMoney: { amount: price, currencyCode: 'EUR' } };

/** The file of each format that has lines. */
const files: Readonly<Record<string, (of: readonly Line[]) => string>> = {
  snapshot: (of) =>
    lines(
      order({
        line_items: of.map((line) => ({ ...line, unit_price: price, total: price, product_external_id: '1' })),
      }),
    ),
  'shopify-orders': (of) =>
    csv(
      [
        'Name,Email,Financial Status,Paid at,Fulfillment Status,Fulfilled at,Currency,Subtotal,Shipping,Taxes,Total,Created at,Lineitem quantity,Lineitem name,Lineitem sku,Lineitem price,Lineitem discount,Billing Name,Billing Street,Shipping Phone,Notes,Note Attributes,Cancelled at,Id,Tags'.split(
          ',',
        ),
        ...of.map(({ title, sku, quantity }, at) => {
          const first = (text: string) => (at === 0 ? text : '');
          return [
            ...[
              '#1',
              first('a@b.example'),
              first('paid'),
              '',
              '',
              '',
              first('EUR'),
              first('5'),
              first('0'),
              first('0'),
            ],
            ...[first('5'), '2026-01-01 09:00:00 +0000', String(quantity), title, sku, price, '0.00', first('Ann')],
            ...[first(written), first(written), first(written), first(`Gift: ${written}`), '', first('5001'), ''],
          ];
        }),
      ],
      ',',
      '\n',
    ),
  'shopify-orders-json': (of) =>
    JSON.stringify({
      orders: [
        {
          ...{ id: 5001, name: '#1', created_at: '2026-01-10T11:00:00Z', updated_at: '2026-01-11T11:00:00Z' },
          ...{ currency: 'EUR', total_price: '5', subtotal_price: '5', total_tax: '0', financial_status: 'paid' },
          ...{ fulfillment_status: null, tags: '', note: written, note_attributes: [note], email: 'a@b.example' },
          ...{ customer: { first_name: 'Ada', note: written }, billing_address: address, shipping_address: address },
          line_items: of.map(({ title, sku, quantity }, id) => ({
            ...{ id, name: title, sku, quantity, price, total_discount: '0.00', product_id: 1, variant_id: 2 },
            properties: [note],
          })),
        },
      ],
    }),
  'shopify-orders-bulk': (of) =>
    lines(
      {
        ...{ id: gid('Order', 5), name: '#1', createdAt: '2026-01-10T16:00:00Z', updatedAt: '2026-01-11T16:00:00Z' },
        ...{ currencyCode: 'EUR', totalPriceSet: money, subtotalPriceSet: money, totalTaxSet: money },
        ...{ totalShippingPriceSet: money, displayFinancialStatus: 'PAID', displayFulfillmentStatus: null, tags: [] },
        ...{ customer: { displayName: 'Ada' }, note: written, customAttributes: [note], shippingAddress: address },
      },
      ...of.map(({ title, sku, quantity }, id) => ({
        ...{
          id: gid('LineItem', id),
          name: title,
          sku,
          quantity,
          originalUnitPriceSet: money,
          discountedTotalSet: money,
        },
        ...{ product: { id: gid('Product', 1) }, variant: { id: gid('ProductVariant', 2) }, customAttributes: [note] },
        __parentId: gid('Order', 5),
      })),
    ),
  'woocommerce-orders-json': (of) =>
    JSON.stringify([
      {
        ...{ id: 727, number: '727', status: 'processing', currency: 'EUR', date_created_gmt: '2026-01-22T19:28:02' },
        ...{ date_modified_gmt: '2026-01-22T19:30:00', date_paid_gmt: null, date_completed_gmt: null, total: '5' },
        ...{ shipping_total: '0', total_tax: '0', refunds: [], customer_note: written, meta_data: [note] },
        ...{ billing: { first_name: 'Zoë', ...address, email: 'a@b.example' }, shipping: address },
        line_items: of.map(({ title, sku, quantity }, id) => ({
          ...{
            id,
            name: title,
            sku,
            quantity,
            product_id: 1,
            variation_id: 2,
            subtotal: price,
            total: price,
            price: 2.5,
          },
          meta_data: [{ id: 9, key: 'Engraving', value: written, display_value: written }],
        })),
      },
    ]),
  map: (of) =>
    csv(
      [
        ['Receipt', 'Total', 'Article', 'Number', 'Pieces', 'Price', 'Wish'],
        ...of.map(({ title, sku, quantity }) => ['1', '5', title, sku, String(quantity), price, written]),
      ],
      ',',
      '\n',
    ),
};

const map = `
rows: { same: Receipt }
order:
  external_id: Receipt
  currency: { value: EUR }
  total_price: Total
  line_items: { title: Article, sku: Number, quantity: Pieces, unit_price: Price }
`;

async function importLines(format: string, of: readonly Line[]) {
  const shop = await harness.createShop();
  const file = await harness.write((files[format] as (typeof files)[string])(of), `${format}-lines`);
  const options = format === 'map' ? { map: await harness.write(map, 'map.yaml') } : { format: format as 'snapshot' };
  const report = await shop.importFiles([file], options);
  const rows = await shop.rows('orders');
  return { rows, stored: rows.flatMap((row) => row['line_items'] as readonly Line[]), report };
}

const text = fc.oneof(
  fc.constantFrom(...spellings.map(([, spelled]) => spelled)),
  fc.constantFrom(...spellings.map(([, spelled]) => `Mug for ${spelled}`)),
  fc.constantFrom('Mug', 'Cup “é”', ''),
);
const someLines = fc.array(fc.record({ title: text, sku: text, quantity: fc.integer({ min: 1, max: 9 }) }), {
  minLength: 1,
  maxLength: 30,
});

describe.each(Object.keys(files))('the lines of orders from %s', (format) => {
  it('have no e-mail address and nothing that a customer wrote, whatever their texts', async () => {
    await fc.assert(
      fc.asyncProperty(someLines, async (of) => {
        const { rows, stored } = await importLines(format, of);
        expect(rows).toHaveLength(1);
        expect(findAddressesNaively(JSON.stringify(stored))).toEqual([]);
        expect(JSON.stringify(rows)).not.toContain(written);
        expect(stored.map(({ quantity }) => quantity)).toEqual(of.map(({ quantity }) => quantity));
      }),
      { numRuns: 8 },
    );
  });

  it(`are at most ${count}, and at most ${bytes} bytes: the first that fit, with a warning`, async () => {
    const many = (length: number, title: string) =>
      Array.from({ length }, (_, at): Line => ({ title, sku: `S-${at}`, quantity: 1 }));
    for (const [of, isCut] of [
      [many(count, 'Mug'), false],
      [many(count + 1, 'Mug'), true],
      [many(2 * count + 500, 'Mug'), true],
      [many(900, 'é'.repeat(1_000)), true],
    ] as const) {
      const { stored, rows, report } = await importLines(format, of);
      expect(stored.map(({ sku }) => sku)).toEqual(of.slice(0, stored.length).map(({ sku }) => sku));
      expect(stored.length < of.length).toBe(isCut);
      expect(stored.length).toBeLessThanOrEqual(count);
      expect(Buffer.byteLength(JSON.stringify(rows[0]?.['line_items']))).toBeLessThanOrEqual(bytes);
      expect(report.warnings.some((warning) => warning.includes('line_items'))).toBe(isCut);
    }
  });

  it('keep titles that only look like an address', async () => {
    const of = innocentTexts.filter((each) => each.trim() === each).map((title) => ({ title, sku: 'A', quantity: 1 }));
    const { report } = await importLines(format, of);
    // The address of the customer beside the lines counts as well.
    const { report: usual } = await importLines(format, [{ title: 'Mug', sku: 'A', quantity: 1 }]);
    expect(report.dropped.emails).toBe(usual.dropped.emails);
  });
});

it('a program that writes SQL cannot store more lines, longer ones, or members besides', async () => {
  const shop = await harness.createShop();
  const line = { title: 'Mug', sku: null, quantity: 1, unit_price: null, total: null, product_external_id: null, variant_external_id: null }; // prettier-ignore
  const store = (of: readonly object[]) => seedOrder(harness.test.sql, shop.id, { line_items: of });
  await store(Array.from({ length: count }, () => line));
  await expect(store(Array.from({ length: count + 1 }, () => line))).rejects.toMatchObject({
    constraint: 'orders_line_items_length_check',
  });
  await expect(store([{ ...line, title: 'é'.repeat(bytes / 2) }])).rejects.toMatchObject({
    constraint: 'orders_line_items_length_check',
  });
  for (const name of ['note', 'properties', 'email', 'address'])
    await expect(store([{ ...line, [name]: written }])).rejects.toMatchObject({
      constraint: 'orders_line_items_check',
    });
});
