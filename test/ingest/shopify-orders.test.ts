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
  }); // prettier-ignore
});
