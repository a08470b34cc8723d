import { importedColumnsOf, type ObjectTable } from '../../src/catalog/model';
import type { FormatName } from '../../src/ingest/formats/descriptions';
import { ImportError } from '../../src/ingest/import-files';
import type { ImportReport } from '../../src/ingest/import-files';
import { fc } from '../support/properties';
import { jsonDamages, parseTable, tableCuts, tableDamages } from './damage/damages';
import { samples } from './format-samples';
import { now, type ShopUnderImport, useImportHarness } from './import-harness';

/** Longer searches: DAMAGED_FILES=200 npx jest test/ingest/damaged-files */
const numRuns = Number(process.env['DAMAGED_FILES'] ?? 2);

const harness = useImportHarness();

/** A file that belongs to another, or without which much of the other has no meaning. */
const companions: Partial<Record<FormatName, FormatName>> = {
  'catalog-products': 'catalog-variants',
  'catalog-variants': 'catalog-products',
  prestashop: 'prestashop-variants',
  'prestashop-variants': 'prestashop',
  'shopify-collections-bulk': 'shopify-products-bulk',
};

interface Result {
  /** What a shop contains, except what each import generates. */
  readonly objects: readonly string[];
  /** The parts of the report that tell people something is not as it was. */
  readonly says: readonly string[];
}

async function importInto(shop: ShopUnderImport, format: FormatName, content: string): Promise<ImportReport> {
  const companion = companions[format];
  const files = [await harness.write(content)];
  if (companion) files.push(await harness.write(samples[companion], 'companion'));
  return shop.importFiles(files);
}

async function resultOf(format: FormatName, content: string): Promise<Result> {
  const shop = await harness.createShop();
  const report = await importInto(shop, format, content);
  const owners = new Map((await shop.rows('products')).map((row) => [row['id'], row['external_id']]));
  const objects: string[] = [];
  for (const table of tables) {
    for (const row of await shop.rows(table)) objects.push(`${table} ${lasting(table, row, owners)}`);
  }
  // A companion file may lack the same column.
  const files = report.files.flatMap(({ readingWarnings, missingColumns, unreadColumns }, index) =>
    [...readingWarnings, ...missingColumns, ...unreadColumns].map((text) => `${index}: ${text}`),
  );
  return {
    objects: objects.sort(),
    says: [...report.warnings, ...files, ...Object.keys(report.dropped.ignoredMembers)],
  };
}

const tables = ['products', 'variants', 'collections', 'orders'] as const;

const withNumbers = (item: Readonly<Record<string, unknown>>): unknown =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, /^-?\d+\.\d+$/.test(String(value)) ? Number(value) : value]),
  );

/** A row as in its file, without the times of the import. Spreadsheets show fewer digits: 5.00 becomes 5. */
function lasting(
  table: ObjectTable,
  row: Readonly<Record<string, unknown>>,
  owners: ReadonlyMap<unknown, unknown>,
): string {
  const kept = importedColumnsOf(table).map(({ name, kind }) => {
    const value = row[name];
    const isOfImport = typeof value === 'string' && value.startsWith(now.slice(0, 16));
    if (kind === 'list') return [name, (value as Readonly<Record<string, unknown>>[]).map(withNumbers)];
    return [name, isOfImport ? 'now' : kind === 'decimal' && value !== null ? Number(value) : value];
  });
  const text = JSON.stringify([owners.get(row['product_id']), Object.fromEntries(kept)]);
  // Each shop has its own domain.
  return text.replaceAll(/[0-9a-f-]{36}\.example/g, 'shop.example');
}

const isTable = (content: string): boolean => !/^[[{]/.test(content);

/** Damage that no reader can detect is not generated. */
const invisible: ReadonlySet<string> = new Set([
  // A line is the whole object: whatever it omits becomes null (docs/snapshot-format.md).
  'snapshot, a member dropped',
  // A product without variant rows has no variants.
  'bigcommerce, rows filtered out',
  // A simple product that no row lists is sold individually.
  'magento, rows filtered out',
]);

/** The same with ids of more digits than a spreadsheet or a float preserves. */
const withLongIds: readonly (readonly [FormatName, string])[] = [
  ['shopify-orders', samples['shopify-orders'].replaceAll('5001', '500100000000000017')],
  ['shopware-orders', samples['shopware-orders'].replaceAll('0192f0c1', '500100000000000017')],
  ['opencart', samples.opencart.replace('\n40,', '\n400000000000000123,')],
  ['bigcommerce', samples.bigcommerce.replace('Product,1,', 'Product,100000000000000123,')],
  ['catalog-orders', samples['catalog-orders'].replace('1,#1', '100000000000000123,#1')],
];

interface Case {
  readonly files: fc.Arbitrary<string>;
  readonly original: string;
  /** Whether objects may be missing, which row counts decrease with them, and which lists become shorter. */
  readonly isPart: boolean;
}

const casesOf = ([format, original]: readonly [FormatName, string]): [FormatName, string, Case][] => {
  const delimiter = original.split('\n')[0]?.includes(';') === true ? ';' : ',';
  const of = (damages: typeof tableDamages, isPart: boolean): [string, Case][] =>
    Object.entries(damages).map(([name, damage]) => {
      const files = damage(parseTable(original, delimiter), delimiter);
      return [name, { files, original, isPart }];
    });
  const all: [string, Case][] = isTable(original)
    ? [...of(tableDamages, false), ...of(tableCuts, true)]
    : Object.entries(jsonDamages).map(([name, damage]) => [name, { files: damage(original), original, isPart: false }]);
  const length = original === samples[format] ? '' : ' (long ids)';
  return all
    .filter(([name]) => !invisible.has(`${format}, ${name}`))
    .map(([name, one]) => [format, name + length, one]);
};
const cases = [...(Object.entries(samples) as [FormatName, string][]), ...withLongIds].flatMap(casesOf);

const undamaged = new Map<string, Promise<Result>>();

const withoutCounts = (object: string): string =>
  object.replace(/"(?:items_count|products_count|position|image_url)":[^,}]*|"(?:images|line_items)":\[.*?\]/g, '');

it.each(cases)('%s, %s: is right, or a message says what is not', async (format, _, { files, original, isPart }) => {
  if (!undamaged.has(original)) undamaged.set(original, resultOf(format, original));
  const before = (await undamaged.get(original)) as Result;
  await fc.assert(
    fc.asyncProperty(files, async (file) => {
      try {
        const after = await resultOf(format, file);
        if (after.says.some((text) => !before.says.includes(text))) return;
        const { objects } = after;
        const known = new Set(before.objects.map(withoutCounts));
        if (isPart)
          expect({ file, wrong: objects.filter((one) => !known.has(withoutCounts(one))) }).toEqual({ file, wrong: [] });
        else expect({ file, objects }).toEqual({ file, objects: before.objects });
      } catch (error) {
        if (!(error instanceof ImportError)) throw error;
      }
    }),
    { numRuns },
  );
});
