import { lines, type ShopUnderImport, useImportHarness } from './import-harness';
import { fc } from '../support/properties';

const harness = useImportHarness();

const at = '2026-01-31T12:00:00Z';
const [productIds, collectionIds] = [
  ['1', '2', '3', '4', '5'],
  ['11', '12', '13'],
];

/** The products of each collection, in order. */
type Orders = Readonly<Record<string, readonly string[]>>;

/** A bulk operation's output for some of the products, each with its collections. */
const productsFile = (orders: Orders, ids: readonly string[]): string =>
  lines(
    ...ids.flatMap((id) => [
      ...[{ id: `gid://shopify/Product/${id}`, title: 'Mug', status: 'ACTIVE', createdAt: at, updatedAt: at, collectionsSelected: 'Product' }], // prettier-ignore
      ...collectionIds
        .filter((one) => orders[one]?.includes(id))
        .map((one) => ({ id: `gid://shopify/Collection/${one}`, __parentId: `gid://shopify/Product/${id}` })),
    ]),
  );

/** The same for some of the collections, each with its products. */
const collectionsFile = (orders: Orders, ids: readonly string[]): string =>
  lines(
    ...ids.flatMap((id) => [
      { id: `gid://shopify/Collection/${id}`, title: 'Mugs', productsSelected: 'Collection' },
      ...(orders[id] ?? []).map((one) => ({ id: `gid://shopify/Product/${one}`, __parentId: `gid://shopify/Collection/${id}` })), // prettier-ignore
    ]),
  );

/** For each collection its products, each with its position. */
type Positions = Map<string, Map<string, number | null>>;

const step = fc.record({
  orders: fc.record(Object.fromEntries(collectionIds.map((id) => [id, fc.shuffledSubarray(productIds)]))),
  products: fc.subarray(productIds),
  collections: fc.subarray(collectionIds),
  areProductsFirst: fc.boolean(),
});

interface Files {
  readonly orders: Orders;
  readonly products: readonly string[];
  readonly collections: readonly string[];
}

/** What a shop has after one file of products and one of collections. */
function expected(before: Positions, { orders, products, collections }: Files, known: Set<string>): Positions {
  for (const id of products) known.add(id);
  return new Map(
    collectionIds.map((id) => {
      const members = new Map(before.get(id));
      const order = orders[id] ?? [];
      if (collections.includes(id))
        return [id, new Map(order.flatMap((one, index) => (known.has(one) ? [[one, index + 1]] : [])))];
      for (const one of products)
        if (!order.includes(one)) members.delete(one);
        else if (!members.has(one)) members.set(one, null);
      return [id, members];
    }),
  );
}

const sorted = (positions: Positions): unknown =>
  [...positions].map(([id, members]) => [id, [...members].sort(([a], [b]) => Number(a) - Number(b))]);

/** From what lists and cursors read, where null is stored as the largest number. */
async function storedPositions(shop: ShopUnderImport): Promise<Positions> {
  const rows = await harness.test.sql<{ collection: string; product: string; position: number }>(
    `SELECT m.collection, p.external_id AS product, m.position FROM collection_products AS m
       JOIN products AS p ON p.shop_id = m.shop_id AND p.id = m.product_id WHERE m.shop_id = $1`,
    [shop.id],
  );
  const of = (id: string) => rows.filter(({ collection }) => collection === id);
  return new Map(collectionIds.map((id) => [id, new Map(of(id).map(({ product, position }) => [product, position === 2_147_483_647 ? null : position]))])); // prettier-ignore
}

const versionsOf = async (shop: ShopUnderImport): Promise<Map<string, string>> => {
  const rows = await harness.test.sql<{ id: string; version: string }>(
    `SELECT o.external_id AS id, c.version FROM changes AS c
       JOIN (SELECT id, external_id FROM products WHERE shop_id = $1 UNION ALL SELECT id, external_id FROM collections WHERE shop_id = $1) AS o USING (id)
      WHERE c.shop_id = $1`,
    [shop.id],
  );
  return new Map(rows.map(({ id, version }) => [id, String(version)]));
};

describe('the order of collections in bulk operations of Shopify', () => {
  it('is that of the last file of each collection, whatever the order of files; products files keep it; the feed has what moved', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        const shop = await harness.createShop();
        const known = new Set<string>();
        let before: Positions = new Map(collectionIds.map((id) => [id, new Map<string, number | null>()]));
        for (const { orders, products, collections, areProductsFirst } of steps) {
          const files = [
            ...(products.length > 0 ? [await harness.write(productsFile(orders, products), 'products')] : []),
            ...(collections.length > 0
              ? [await harness.write(collectionsFile(orders, collections), 'collections')]
              : []),
          ];
          if (files.length === 0) continue;
          const versions = await versionsOf(shop);
          await shop.importFiles(areProductsFirst ? files : files.reverse());
          const after = expected(before, { orders, products, collections }, known);
          expect(sorted(await storedPositions(shop))).toEqual(sorted(after));

          const now = await versionsOf(shop);
          for (const [id, members] of after) {
            const old = before.get(id) ?? new Map<string, number | null>();
            const moved = [...new Set([...members.keys(), ...old.keys()])].filter(
              (one) => members.get(one) !== old.get(one),
            );
            for (const one of moved.length > 0 ? [id, ...moved] : [])
              expect([one, now.has(one) && now.get(one) === versions.get(one)]).toEqual([one, false]);
          }
          const fingerprint = await shop.fingerprint();
          await shop.importFiles(files);
          expect(await shop.fingerprint()).toEqual(fingerprint);
          before = after;
        }
      }),
      { numRuns: 25 },
    );
  });
});
