import { now, useImportHarness } from './import-harness';
import { csv } from './make-files';
import { fc } from '../support/properties';

const harness = useImportHarness();

/** The dates of a sale as in a file; blank if there is none. */
interface Dates {
  readonly from: string;
  readonly to: string;
}

const map = `
product: { external_id: nr, title: nr }
variant:
  price: { column: list, sale: offer, sale_from: since, sale_to: till }
`;

/** Each way to write products 0, 1, ... that cost 9, and 5 during the sale. */
const writers: Readonly<Record<string, (sales: readonly Dates[]) => string>> = {
  'woocommerce-products': (sales) =>
    csv([
      ['ID', 'Type', 'Name', 'Published', 'Sale price', 'Regular price', 'Date sale price starts', 'Date sale price ends'],
      ...sales.map(({ from, to }, index) => [String(index), 'simple', 'Mug', '1', '5', '9', from, to]),
    ], ',', '\n'),
  'woocommerce-products-json': (sales) =>
    JSON.stringify(
      sales.map(({ from, to }, id) => ({
        id, name: 'Mug', type: 'simple', status: 'publish', regular_price: '9', sale_price: '5', date_on_sale_from_gmt: from || null, date_on_sale_to_gmt: to || null,
      })),
    ),
  magento: (sales) =>
    csv([
      ['sku', 'attribute_set_code', 'product_type', 'name', 'product_online', 'price', 'special_price', 'special_price_from_date', 'special_price_to_date'],
      ...sales.map(({ from, to }, index) => [String(index), 'Default', 'simple', 'Mug', '1', '9', '5', from, to]),
    ], ',', '\n'),
  map: (sales) =>
    csv([['nr', 'list', 'offer', 'since', 'till'], ...sales.map(({ from, to }, index) => [String(index), '9', '5', from, to])], ',', '\n'),
}; // prettier-ignore

const day = 86_400_000;

/** A moment around that of the import, as a date or with a time. */
const moments = fc.record({
  at: fc.integer({ min: -40, max: 40 }).map((hours) => new Date(Date.parse(now) + hours * 3_600_000).toISOString()),
  form: fc.constantFrom('day', 'local', 'zone'),
});
type Moment = typeof moments extends fc.Arbitrary<infer Value> ? Value : never;

const written = (moment: Moment | null): string => {
  if (moment === null) return '';
  if (moment.form === 'day') return moment.at.slice(0, 10);
  return moment.form === 'local' ? moment.at.slice(0, 19) : moment.at;
};
const timeOf = ({ at, form }: Moment): number => Date.parse(form === 'day' ? at.slice(0, 10) : at);

describe.each(Object.keys(writers))('a sale price of %s', (format) => {
  it('is the price from the start of the sale to the end of its last day, and others are counted', async () => {
    const options = format === 'map' ? { map: await harness.write(map, 'map.yaml') } : {};
    const sales = fc.array(fc.tuple(fc.option(moments), fc.option(moments)), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(sales, async (given) => {
        const expected = given.map(([from, to]) => {
          const hasBegun = from === null || timeOf(from) <= Date.parse(now);
          const hasEnded = to !== null && timeOf(to) + (to.form === 'day' ? day : 0) <= Date.parse(now);
          return hasBegun && !hasEnded;
        });
        const content = (writers[format] as (typeof writers)[string])(
          given.map(([from, to]) => ({ from: written(from), to: written(to) })),
        );
        const shop = await harness.createShop();
        const { warnings } = await shop.import(content, options);
        const found = await shop.values('variants', 'external_id', 'price', 'compare_at_price');
        const numberOf = ([id]: unknown[]): number => Number(/\d+/.exec(String(id))?.[0]);
        expect(found.sort((a, b) => numberOf(a) - numberOf(b)).map(([, ...prices]) => prices)).toEqual(
          expected.map((isOn) => (isOn ? ['5', '9'] : ['9', null])),
        );
        const others = expected.filter((isOn) => !isOn).length;
        expect(warnings.filter((text) => text.includes('sale price'))).toEqual(
          others === 0
            ? []
            : [
                expect.stringContaining(
                  `file: sale prices that were not active at the time of the import (${now}): ${others};`,
                ),
              ],
        );
      }),
      { numRuns: 2 },
    );
  }, 60_000);
});
