import { lines, useImportHarness } from './import-harness';
import { fc } from '../support/properties';

const harness = useImportHarness();

const text = fc.string({ unit: 'binary', maxLength: 12 }).map((value) => value.replace(/[\0\p{Surrogate}]/gu, ''));
const nullable = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> => fc.option(value, { nil: null });
const moment = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
  .map((date) => date.toISOString());
const decimal = fc
  .tuple(fc.boolean(), fc.bigInt(0n, 10n ** 20n), nullable(fc.stringMatching(/^[0-9]{1,8}$/)))
  .map(([isNegative, whole, fraction]) => `${isNegative ? '-' : ''}${whole}${fraction === null ? '' : `.${fraction}`}`);

const variant = fc.record({
  external_id: fc.constantFrom('v1', 'v2', 'v3', 'ü'),
  title: nullable(text),
  price: nullable(decimal),
  inventory_quantity: nullable(fc.integer({ min: -5, max: 2 ** 40 })),
  position: nullable(fc.integer({ min: 0, max: 9 })),
  options: fc.array(fc.record({ name: text, value: text }), { maxLength: 2 }),
  created_at: moment,
  updated_at: moment,
});
const product = fc.record({
  type: fc.constant('product'),
  external_id: fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('a', 'b', 'é', '"', ',') }),
  title: text,
  vendor: nullable(text),
  tags: fc.array(text, { maxLength: 3 }),
  published_at: nullable(moment),
  created_at: moment,
  updated_at: moment,
  variants: fc.uniqueArray(variant, { selector: ({ external_id }) => external_id, maxLength: 4 }),
});

describe('a snapshot of any shop', () => {
  it('is exported unchanged, also a second time, whatever was stored before (D21, D23)', async () => {
    const shop = await harness.createShop();
    const shops = fc.uniqueArray(product, { selector: ({ external_id }) => external_id, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(shops, async (products) => {
        if (products.length === 0) return;
        const file = lines(...products);
        await shop.import(file, { replace: true, allowRemoving: { percent: 100 } });
        expect(await exported(shop.id)).toEqual(products.map(sorted).sort(byExternalId));
        const again = await shop.import(file);
        expect(again.products).toMatchObject({ unchanged: products.length });
        expect(again.variants).toMatchObject({ created: 0, updated: 0, removed: 0 });
      }),
      { numRuns: 40 },
    );
  });
});

interface Named {
  readonly external_id: string;
}

const byExternalId = (a: Named, b: Named): number => (a.external_id < b.external_id ? -1 : 1);

const sorted = <Product extends { variants: Named[] }>(given: Product): Product => ({
  ...given,
  variants: given.variants.toSorted(byExternalId),
});

/** The shop's live products as in a snapshot. */
async function exported(shopId: string): Promise<Named[]> {
  const at = (column: string): string => `'${column}', to_char(t.${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  const rows = await harness.test.sql<{ product: Named & { variants: Named[] } }>(
    `SELECT json_build_object('type', 'product', 'external_id', external_id, 'title', title, 'vendor', vendor, 'tags', tags,
            ${at('published_at')}, ${at('created_at')}, ${at('updated_at')},
            'variants', coalesce((
              SELECT json_agg(json_build_object('external_id', external_id, 'title', title, 'price', price,
                       'inventory_quantity', inventory_quantity, 'position', position, 'options', options,
                       ${at('created_at')}, ${at('updated_at')}))
                FROM variants AS t WHERE t.shop_id = p.shop_id AND t.product_id = p.id), '[]')) AS product
       FROM (SELECT * FROM products WHERE shop_id = $1 AND deleted_at IS NULL) AS t
       JOIN LATERAL (SELECT t.shop_id, t.id) AS p ON true`,
    [shopId],
  );
  return rows.map(({ product: found }) => sorted(found)).sort(byExternalId);
}
