import { ImportHarness } from './import-harness';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

const header =
  'Name,Email,Financial Status,Paid at,Fulfillment Status,Fulfilled at,Currency,Subtotal,Shipping,Taxes,Total,Created at,' +
  'Lineitem quantity,Lineitem name,Billing Name,Shipping Name,Notes,Cancelled at,Id,Tags,Phone';

describe("importing Shopify's orders CSV", () => {
  it('reads the full form: several rows an order, statuses in capitals, timestamps in UTC (D21, D23, D25)', async () => {
    const shop = await harness.createShop();
    const report = await shop.import(
      [
        header,
        `#1,ann@b.example,partially_refunded,2026-08-24 13:18:57 +0200,partial,2026-08-25 00:00:00 +0000,EUR,10.00,5,1.90,"16.90",2026-08-24 13:18:57 +0200,2,Mug,Ann <ann@b.example>,,"call ann@b.example",,5001,"vip, ann@b.example, b2b",'+49`,
        `#1,ann@b.example,,,,,,,,,,2026-08-24 13:18:57 +0200,3,Cup,,,,,,,`,
        `#2,,paid,,,,EUR,,,,0.00,2026-08-24 13:18:57 -0500,1,Tip,,Zoë,,,5002,,`,
        '',
      ].join('\n'),
    );
    expect(await shop.values('orders', 'external_id', 'order_number', 'customer_name', 'financial_status', 'fulfillment_status', 'tags')).toEqual([
      ['5001', '#1', 'Ann', 'PARTIALLY_REFUNDED', 'PARTIAL', ['vip', 'b2b']],
      ['5002', '#2', 'Zoë', 'PAID', null, []],
    ]); // prettier-ignore
    expect(await shop.values('orders', 'subtotal_price', 'total_shipping', 'total_tax', 'total_price', 'items_count', 'created_at', 'updated_at')).toEqual([
      ['10.00', '5', '1.90', '16.90', 5, '2026-08-24T11:18:57+00:00', '2026-08-25T00:00:00+00:00'],
      [null, null, null, '0.00', 1, '2026-08-24T18:18:57+00:00', null],
    ]); // prettier-ignore
    expect(report.dropped.emails).toBe(4);
  });

  it('reads a file of a few columns: null for the others, one item for each row without a quantity', async () => {
    const shop = await harness.createShop();
    await shop.import(
      'Name,Email,Created at,Total,Lineitem name\n#7,a@b.example,2026-01-01 00:00:00 +0000,5,Mug\n#7,,,,Cup\n',
    );
    expect(
      await shop.values('orders', 'external_id', 'total_price', 'items_count', 'currency', 'financial_status'),
    ).toEqual([['#7', '5', 2, null, null]]);
  });

  it('keeps no e-mail address in the database, the report or an error (D25)', async () => {
    const shop = await harness.createShop();
    const row = (created: string): string =>
      `#1,ann@b.example,a@b.example,,,,EUR,,,,1,${created},1,Mug,ann@b.example,,n@b.example,,ann@b.example,x@b.example,\n`;
    const report = await shop.import(
      `${header}\n${row('2026-01-01 00:00:00 +0000').replace(',a@b.example,', ',paid,').replace('ann@b.example,x@', '9,x@')}`,
    );
    expect(JSON.stringify([report, await shop.rows('orders')])).not.toContain('@');
    expect(await shop.refusal(`${header}\n${row('ann@b.example')}`)).toBe(
      'file, line 2, column "Created at": expected a timestamp such as 2026-01-31T12:00:00Z, got "[e-mail address]"',
    );
  });

  it.each([
    ['a date without a zone', '#1,,,,,,,,,,,2026-01-01 10:00:00,1,Mug,,,,,,,', /line 2, column "Created at": .*no time or no time zone.*got "2026-01-01 10:00:00"/],
    ['a quantity', '#1,,,,,,,,,,,,-1,Mug,,,,,,,', /line 2, column "Lineitem quantity": expected a whole number from 0/],
    ['an order that reappears', '#1,,,,,,,,,,,,1,Mug,,,,,,,\n#2,,,,,,,,,,,,1,Mug,,,,,,,\n#1,,,,,,,,,,,,1,Mug,,,,,,,', /line 4: order "#1" reappears: its rows began in line 2/],
  ])('refuses %s', async (_, rows, message) => {
    const shop = await harness.createShop();
    expect(await shop.refusal(`${header}\n${rows}\n`)).toMatch(message);
  }); // prettier-ignore
});
