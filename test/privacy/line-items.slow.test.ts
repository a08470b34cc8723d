import { parse } from 'csv-parse/sync';
import { model } from '../../src/catalog/model';
import { samples } from '../ingest/format-samples';
import { lines, order, useImportHarness } from '../ingest/import-harness';
import { csv } from '../ingest/make-files';
import { fc } from '../support/properties';
import { seedOrder } from '../support/seed';
import { innocentTexts, spellings } from './corpus';
import { findAddressesNaively } from './naive-detector';

const { count, bytes } = model.orders.lineItems;

const harness = useImportHarness();

interface Line {
  readonly title: string;
  readonly sku: string;
  readonly quantity: number;
}

/** What a customer wrote, in every place of a file that a platform has for it. */
const written = 'Written by the customer';
const note = { name: 'Engraving', value: written };
const address = { address1: written, company: written, phone: written };

type Item = Readonly<Record<string, unknown>>;

const parseLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Item);
const [bulkOrder, bulkItem] = parseLines(samples['shopify-orders-bulk']);
const { orders: [shopifyOrder] } = JSON.parse(samples['shopify-orders-json']) as { orders: [Item & { line_items: Item[] }] }; // prettier-ignore
const [wooOrder] = JSON.parse(samples['woocommerce-orders-json']) as [Item & { line_items: Item[] }];
const [header = [], first = [], further = []] = parse(samples['shopify-orders']);
const notes = ['Billing Street', 'Shipping Phone', 'Notes', 'Note Attributes'];

/** The file of each format that has line items. */
const files: Readonly<Record<string, (of: readonly Line[]) => string>> = {
  snapshot: (of) => lines(order({ line_items: of.map((line) => ({ ...line, unit_price: '2.50', total: '2.50' })) })),
  'shopify-orders': (of) => {
    const rows = of.map(({ title, sku, quantity }, at) => {
      const own: Readonly<Record<string, string>> = {
        'Lineitem name': title,
        'Lineitem sku': sku,
        'Lineitem quantity': String(quantity),
      };
      const cells = header.map((name, column) => own[name] ?? (at === 0 ? first : further)[column] ?? '');
      return [...cells, ...notes.map(() => (at === 0 ? written : ''))];
    });
    return csv([[...header, ...notes], ...rows], ',', '\n');
  },
  'shopify-orders-json': (of) => {
    const items = of.map(({ title, sku, quantity }, id) => ({ ...shopifyOrder.line_items[0], id, name: title, sku, quantity, properties: [note] })); // prettier-ignore
    const own = { note: written, note_attributes: [note], email: 'a@b.example', shipping_address: address };
    const customer = { first_name: 'Ada', note: written };
    return JSON.stringify({ orders: [{ ...shopifyOrder, ...own, customer, billing_address: address, line_items: items }] }); // prettier-ignore
  },
  'shopify-orders-bulk': (of) =>
    lines(
      { ...bulkOrder, note: written, customAttributes: [note], shippingAddress: address },
      ...of.map(({ title, sku, quantity }, id) => ({
        ...{ ...bulkItem, id: `gid://shopify/LineItem/${id}`, name: title, sku, quantity, customAttributes: [note] },
      })),
    ),
  'woocommerce-orders-json': (of) => {
    const meta = [{ id: 9, key: 'Engraving', value: written, display_value: written }];
    const items = of.map(({ title, sku, quantity }, id) => ({ ...wooOrder.line_items[0], id, name: title, sku, quantity, meta_data: meta })); // prettier-ignore
    const own = { customer_note: written, meta_data: [note], shipping: address };
    const billing = { first_name: 'Zoë', ...address, email: 'a@b.example' };
    return JSON.stringify([{ ...wooOrder, ...own, billing, line_items: items }]);
  },
  map: (of) =>
    csv(
      [
        ['Receipt', 'Total', 'Article', 'Number', 'Pieces', 'Price', 'Wish'],
        ...of.map(({ title, sku, quantity }) => ['1', '5', title, sku, String(quantity), '2.50', written]),
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
    // The customer's address next to the lines counts as well.
    const { report: usual } = await importLines(format, [{ title: 'Mug', sku: 'A', quantity: 1 }]);
    expect(report.dropped.emails).toBe(usual.dropped.emails);
  });
});

it('a program that writes SQL cannot store more lines, longer ones, or further members', async () => {
  const shop = await harness.createShop();
  const line = { title: 'Mug', sku: null, quantity: 1, unit_price: null, total: null, product_external_id: null, variant_external_id: null }; // prettier-ignore
  const store = (of: readonly object[]) => seedOrder(harness.test.sql, shop.id, { line_items: of });
  await store(new Array(count).fill(line));
  await expect(store(new Array(count + 1).fill(line))).rejects.toMatchObject({
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
