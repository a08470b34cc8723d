import { buffer } from 'node:stream/consumers';
import type { ExportRequest } from '../../src/catalog/export/export-shop';
import { exportShop } from '../../src/catalog/export/export-shop';
import { exportTables } from '../../src/catalog/rows/export-tables';
import { createCursorCodec } from '../../src/relay/connection';
import type { ShopUnderImport } from './import-harness';
import { collection, lines, order, product, variant, useImportHarness } from './import-harness';

let source: ShopUnderImport;
let target: ShopUnderImport;
const harness = useImportHarness();
beforeAll(async () => {
  source = await harness.createShop();
  await source.import(
    lines(
      product({ external_id: 'p1', variants: [variant({ external_id: 'v1' }), variant({ external_id: 'v2' })] }),
      product({ external_id: 'p2', variants: [variant({ external_id: 'v3' })] }),
      product({ external_id: 'p3' }),
      collection({ external_id: 'c1' }),
      collection({ external_id: 'c2' }),
      order({ external_id: 'o1' }),
    ),
  );
  target = await harness.createShop();
  await target.import(lines({ type: 'shop', name: 'Kept' }));
});

async function exportLines(options: Partial<ExportRequest> = {}): Promise<string[]> {
  const request: ExportRequest = {
    url: harness.test.url,
    shopId: source.id,
    cursors: createCursorCodec(['a secret of this test']),
    tables: exportTables,
    format: 'snapshot',
    describesShop: true,
    signal: new AbortController().signal,
    ...options,
  };
  return (await buffer(exportShop(request))).toString().trimEnd().split('\n');
}

const toFile = (some: readonly string[]): string => some.map((line) => `${line}\n`).join('');

/** Refused, with every row unchanged. */
async function refusal(file: string): Promise<string> {
  const before = await target.fingerprint();
  const message = await target.refusal(file);
  expect(await target.fingerprint()).toEqual(before);
  return message;
}

describe('an export that is not complete', () => {
  it('is refused without any one of its lines, and with any one of them twice', async () => {
    const whole = await exportLines();
    expect(whole).toHaveLength(8);
    for (const index of whole.keys()) {
      expect(await refusal(toFile(whole.toSpliced(index, 1)))).toContain('export the shop again');
      expect(await refusal(toFile(whole.toSpliced(index, 0, whole[index] as string)))).not.toBe('');
    }
  });

  it('is refused wherever it is cut', async () => {
    const text = toFile(await exportLines());
    for (let length = 40; length < text.length - 2; length += 97) await refusal(text.slice(0, length));
  });

  it('says what is missing', async () => {
    const whole = await exportLines();
    expect(await refusal(toFile(whole.toSpliced(1, 1)))).toContain(
      'file, line 7, products: the export contained 3, but the file has 2; export the shop again',
    );
    const index = whole.findIndex((line) => line.includes('"v2"'));
    const { variants, ...values } = JSON.parse(whole[index] as string) as { variants: object[] };
    const shortened = JSON.stringify({ ...values, variants: variants.slice(1) });
    expect(await refusal(toFile(whole.with(index, shortened)))).toContain(
      'variants: the export contained 3, but the file has 2',
    );
  });

  it('is refused in a format that is not for imports, whatever it holds', async () => {
    for (const tables of [exportTables, ['products'], ['collections']] as const) {
      expect(await refusal(toFile(await exportLines({ format: 'jsonl', tables })))).toContain('--format snapshot');
    }
  });

  it('reports only the error in a line, not a count that follows from it', async () => {
    const whole = await exportLines();
    for (const index of whole.keys()) {
      if (index === 0 || index === whole.length - 1) continue;
      for (const line of ['{"type":"product"}', '{', '{"type":"order"}']) {
        expect(await refusal(toFile(whole.with(index, line)))).not.toContain('export the shop again');
      }
    }
  });
});

it('imports several exports in one file, and lines without an export around them', async () => {
  const whole = await exportLines();
  const apart = await Promise.all(exportTables.map((table) => exportLines({ tables: [table] })));
  const shop = await harness.createShop();
  await shop.import(toFile(apart.flat()));
  const counts = { products: { read: 3 }, variants: { read: 3 }, collections: { read: 2 }, orders: { read: 1 } };
  expect(await shop.import(toFile(whole))).toMatchObject({
    products: { unchanged: 3 },
    variants: { unchanged: 3 },
    collections: { unchanged: 2 },
    orders: { unchanged: 1 },
  });
  expect(await shop.import(toFile(whole.slice(1, -1)))).toMatchObject(counts);
});
