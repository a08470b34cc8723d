import { randomUUID } from 'node:crypto';
import { collection, lines, order, product, variant, useImportHarness } from './import-harness';
import type { ShopUnderImport } from './import-harness';

const harness = useImportHarness();

const keepIds = { keepIds: true };

/** One object of each kind, with ids; some ids may be given. */
function fullFile(ids: Partial<Record<'product' | 'variant' | 'collection' | 'order', unknown>> = {}) {
  const id = { product: randomUUID(), variant: randomUUID(), collection: randomUUID(), order: randomUUID(), ...ids };
  const variants = [variant({ id: id.variant })];
  return {
    id,
    text: lines(product({ id: id.product, variants }), collection({ id: id.collection }), order({ id: id.order })),
  };
}

const tables = { product: 'products', variant: 'variants', collection: 'collections', order: 'orders' } as const;
type Kind = keyof typeof tables;
const kinds = Object.keys(tables) as Kind[];

const idsIn = async (shop: ShopUnderImport): Promise<unknown> =>
  Object.fromEntries(
    await Promise.all(kinds.map(async (kind) => [kind, (await shop.values(tables[kind], 'id')).flat()[0]])),
  );

describe('--keep-ids', () => {
  it('gives new objects the ids of the file, and changes nothing the second time', async () => {
    const shop = await harness.createShop();
    const { id, text } = fullFile();
    const report = await shop.import(text, keepIds);
    expect(report.products.created).toBe(1);
    expect(await idsIn(shop)).toEqual(id);
    const before = await shop.fingerprint();
    await shop.import(text, keepIds);
    await shop.import(text);
    expect(await shop.fingerprint()).toEqual(before);
  });

  it('is what it takes: without it new ids are generated', async () => {
    const shop = await harness.createShop();
    const { id, text } = fullFile();
    await shop.import(text);
    const stored = (await idsIn(shop)) as Record<Kind, string>;
    for (const kind of kinds) expect(stored[kind]).not.toBe(id[kind]);
  });

  it('accepts ids in upper case', async () => {
    const shop = await harness.createShop();
    const { id, text } = fullFile();
    await shop.import(text.replaceAll(id.product as string, (id.product as string).toUpperCase()), keepIds);
    expect(await idsIn(shop)).toEqual(id);
  });

  it.each(kinds)('is refused for a %s that the shop has under another id', async (kind) => {
    const shop = await harness.createShop();
    const { id, text } = fullFile();
    await shop.import(text, keepIds);
    const before = await shop.fingerprint();
    const externalId = { product: 'p1', variant: 'v1', collection: 'c1', order: 'o1' }[kind];
    expect(await shop.refusal(fullFile({ ...id, [kind]: randomUUID() }).text, keepIds)).toMatch(
      `the shop has the ${kind} "${externalId}" under another ID, and IDs never change; import into an empty shop, or without --keep-ids`,
    );
    expect(await shop.fingerprint()).toEqual(before);
  });

  it.each(kinds)('is refused for a %s whose id another shop has', async (kind) => {
    const { id, text } = fullFile();
    const other = await harness.createShop();
    await other.import(text, keepIds);
    const shop = await harness.createShop();
    const refused = await shop.refusal(fullFile({ [kind]: id[kind] }).text, keepIds);
    expect(refused).toMatch(
      new RegExp(`the ${kind} ".1" has an ID that is already used in the shop "${other.domain}"`),
    );
    expect(await shop.rows('products')).toEqual([]);
  });

  it.each(kinds)('is refused for two of a kind with one id: %s', async (kind) => {
    const shop = await harness.createShop();
    const id = randomUUID();
    const two = (make: (values: object) => object) => [make({ id, external_id: 'a' }), make({ id, external_id: 'b' })];
    const file = {
      product: lines(...two(product)),
      variant: lines(product({ id: randomUUID(), variants: two(variant) })),
      collection: lines(...two(collection)),
      order: lines(...two(order)),
    }[kind];
    expect(await shop.refusal(file, keepIds)).toMatch(/two objects have the same ID; --keep-ids requires unique IDs$/);
  });
});
