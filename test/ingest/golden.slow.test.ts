import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importedColumnsOf } from '../../src/catalog/model';
import { suggestMap } from '../../src/ingest/suggest-map';
import { type ShopUnderImport, useImportHarness } from './import-harness';

/*
 * Files of every format beside what becomes of them: golden/*.json holds files by their lines, with the report of each
 * import and the rows that are stored after the last, or the refusal. `GOLDEN=write npx jest golden` writes the
 * expectations anew; read the difference.
 */

interface Case {
  readonly what: string;
  readonly imports: {
    readonly files: Readonly<Record<string, readonly string[]>>;
    readonly map?: readonly string[];
    /** Whether the file is imported with the map suggested for it. */
    readonly isMapSuggested?: true;
    /** Without its first line, which names the file and its directory. */
    suggestedMap?: readonly string[];
    readonly options?: Parameters<ShopUnderImport['importFiles']>[1];
    /** When it is imported, if not at the usual time. */
    readonly at?: string;
    report?: unknown;
    refusal?: string;
  }[];
  rows?: unknown;
}

const directory = join(__dirname, 'golden');
const isWriting = process.env['GOLDEN'] === 'write';
const tables = ['products', 'variants', 'collections', 'orders'] as const;

const harness = useImportHarness();

/** Without members that carry no information: null, zero, false and empty ones. */
const withoutBlanks = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutBlanks);
  const members = Object.entries(value).map(([name, member]) => [name, withoutBlanks(member)] as const);
  return Object.fromEntries(
    members.filter(
      ([, member]) =>
        ![null, undefined, 0, false].includes(member as null) && !/^(?:""|\[\]|\{\})$/.test(JSON.stringify(member)),
    ),
  );
};

/** Objects as stored, including members without information. */
const toTexts = (items: unknown): readonly string[] =>
  (items as readonly unknown[]).map((item) => JSON.stringify(item));

/** The imported columns as a shop stores them. A variant names its product. */
async function storedOf(shop: ShopUnderImport): Promise<unknown> {
  const products = new Map((await shop.rows('products')).map((row) => [row['id'], row['external_id']]));
  const stored = tables.map(async (table) => [
    table,
    (await shop.rows(table)).map((row) => ({
      product: products.get(row['product_id']),
      ...Object.fromEntries(
        importedColumnsOf(table).map(({ name, kind }) => [name, kind === 'list' ? toTexts(row[name]) : row[name]]),
      ),
      deleted_at: row['deleted_at'],
    })),
  ]);
  return withoutBlanks(Object.fromEntries(await Promise.all(stored)));
}

const idsOf = async (shop: ShopUnderImport): Promise<ReadonlyMap<string, unknown>> =>
  new Map(
    (await Promise.all(tables.map((table) => shop.rows(table))))
      .flat()
      .map((row) => [`${String(row['product_id'])} ${String(row['external_id'])}`, row['id']]),
  );

const tidy = (text: string, shop: ShopUnderImport): string =>
  text.replaceAll(`${harness.directory}/`, '').replaceAll(shop.domain, 'shop');

async function importAll(shop: ShopUnderImport, imports: Case['imports']): Promise<Case['imports']> {
  const results: Case['imports'] = [];
  for (const { report: _report, refusal: _refusal, suggestedMap: _map, ...step } of imports) {
    const files: string[] = [];
    for (const [name, rows] of Object.entries(step.files)) files.push(await harness.write(rows.join('\n'), name));
    const before = await idsOf(shop);
    const clock = step.at !== undefined && { clock: () => Date.parse(step.at ?? '') };
    const suggested: Pick<Case['imports'][number], 'suggestedMap'> = {};
    try {
      if (step.isMapSuggested) suggested.suggestedMap = (await suggestMap(files[0] ?? '', {})).split('\n').slice(1);
      const lines = step.map ?? suggested.suggestedMap;
      const map = lines && { map: await harness.write(lines.join('\n'), 'map.yaml') };
      const { durationMilliseconds: _duration, ...report } = await shop.importFiles(files, {
        ...step.options,
        ...clock,
        ...map,
      });
      results.push({
        ...step,
        ...suggested,
        report: JSON.parse(tidy(JSON.stringify(withoutBlanks(report)), shop)) as unknown,
      });
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ImportError') throw error;
      results.push({ ...step, ...suggested, refusal: tidy(error.message, shop) });
    }
    for (const [object, id] of await idsOf(shop)) expect([object, before.get(object) ?? id]).toEqual([object, id]);
  }
  return results;
}

describe.each(readdirSync(directory))('%s', (name) => {
  const path = join(directory, name);
  const cases = JSON.parse(readFileSync(path, 'utf8')) as Case[];
  const found: Case[] = [];
  afterAll(() => {
    // With -t, the other cases stay as they are.
    const written = cases.map((one) => found.find(({ what }) => what === one.what) ?? one);
    if (isWriting) writeFileSync(path, `${JSON.stringify(written, null, 1)}\n`);
  });

  it.each(cases)('$what', async (expected) => {
    const shop = await harness.createShop();
    const imports = await importAll(shop, expected.imports);
    const rows = JSON.parse(tidy(JSON.stringify(await storedOf(shop)), shop)) as unknown;
    found.push({ what: expected.what, imports, rows });
    if (!isWriting) expect({ imports, rows }).toEqual({ imports: expected.imports, rows: expected.rows });
    expect(JSON.stringify([rows, imports.map(({ report, refusal }) => [report, refusal])])).not.toMatch(/\w@\w/);
    const before = await shop.fingerprint();
    await shop.deriveByTriggers();
    await importAll(shop, imports.slice(-1));
    expect(await shop.fingerprint()).toEqual(before);
  });
});
