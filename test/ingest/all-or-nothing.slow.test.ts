import { ImportError } from '../../src/ingest/values/import-error';
import type { Query } from '../../src/ingest/write/import-transaction';
import { inImportTransaction } from '../../src/ingest/write/import-transaction';
import type { ShopUnderImport } from './import-harness';
import { collection, lines, order, product, variant, useImportHarness } from './import-harness';
import { fc } from '../support/properties';

let shop: ShopUnderImport;
const harness = useImportHarness();
beforeAll(async () => {
  shop = await harness.createShop();
  await shop.import(lines(product({ variants: [variant()] }), collection(), order()));
});

const createCollection = `INSERT INTO collections (shop_id, external_id, title, published) VALUES ($1, $2, 'Late', true)`;

describe('an import that fails while a batch is written', () => {
  it('writes nothing of what follows in the batch', async () => {
    const before = await shop.fingerprint();
    let batch: Promise<unknown> = Promise.resolve();
    const failed = inImportTransaction(
      { url: harness.test.url, domain: shop.domain, dryRun: false },
      async (query, copyIn) => {
        batch = (async () => {
          await query(createCollection, [shop.id, 'first']);
          await query(createCollection, [shop.id, 'second']);
          const line = Buffer.from(`${shop.id}\tthird\tLate\tt\n`);
          await copyIn('collections (shop_id, external_id, title, published)', line);
        })();
        batch.catch(() => undefined);
        return Promise.reject(new ImportError('a line is wrong'));
      },
    );
    await expect(failed).rejects.toThrow('a line is wrong');
    await expect(batch).rejects.toThrow();
    expect(await shop.fingerprint()).toEqual(before);
  });

  it('runs no further statement after it has ended well either', async () => {
    let late: Query | undefined;
    await inImportTransaction({ url: harness.test.url, domain: shop.domain, dryRun: false }, (query) =>
      Promise.resolve((late = query)),
    );
    await expect(late?.(createCollection, [shop.id, 'late'])).rejects.toThrow('has already ended');
  });

  const header = 'Handle,Title,Variant Price\n';
  const rows = (count: number, price: string) =>
    Array.from({ length: count }, (_, n) => `h${n},New,${price}\n`).join('');
  it.each([
    ['a fault after several batches of a CSV', [`${header}${rows(6_000, '5')}last,New,x\n`]],
    ['a fault in the second file', [`${header}${rows(3_000, '5')}`, `${header}b,New,x\n`]],
    ['a row cut off at the end', [`${header}${rows(3_000, '5')}b,"New`]],
    [
      'stock of a location twice',
      [`${header}${rows(3_000, '5')}`, 'Handle,Option1 Value,Location,Available\nh1,,A,1\nh1,,A,2\n'],
    ],
  ])('writes nothing from %s', async (_, contents) => {
    const before = await shop.fingerprint();
    const files = await Promise.all(contents.map((content, index) => harness.write(content, `${index}.csv`)));
    await expect(shop.importFiles(files)).rejects.toThrow(ImportError);
    expect(await shop.fingerprint()).toEqual(before);
  });

  const objects = fc.oneof(
    fc.record({ kind: fc.constantFrom(product, collection, order), external_id: fc.constantFrom('a', 'b', 'c', 'd') }),
    fc.record({
      kind: fc.constant(() => ({ type: 'product', external_id: 'a', deleted: true })),
      external_id: fc.constant('a'),
    }),
  );
  const faults = fc.constantFrom('{', '{"type":"order"}', '{"type":"collection","external_id":7}', '\u0000');

  /** A repeated object begins a new batch, so that even short files have several. */
  it('writes nothing from files with objects in any order and an error anywhere', async () => {
    const before = await shop.fingerprint();
    await fc.assert(
      fc.asyncProperty(
        fc.array(objects, { maxLength: 12 }),
        fc.array(objects, { maxLength: 3 }),
        faults,
        async (some, rest, fault) => {
          const toLines = (each: typeof some) =>
            lines(...each.map(({ kind, external_id }) => kind({ external_id, title: 'New' })));
          await shop.refusal(`${toLines(some)}${fault}\n${toLines(rest)}`);
          expect(await shop.fingerprint()).toEqual(before);
        },
      ),
      { numRuns: 150 },
    );
  });
});
