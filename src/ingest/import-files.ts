import type { Clock } from '../clock';
import type { Database } from '../database/database';
import { checkLengths } from './check-lengths';
import { detectFormat } from './detect-format';
import type { Format } from './format';
import type { FormatName } from './formats';
import { ImportError } from './import-error';
import { DroppedCounter } from './dropped';
import { type FileReport, type ImportReport } from './import-report';
import type { RecordKind } from './record';
import { standardInputName } from './source/raw-file';
import type { ReadingOptions } from './source/reading-options';
import { SourceFile } from './source/source-file';
import { inImportTransaction } from './write/import-transaction';
import { NamedObjects } from './write/named-objects';
import { countAnew, keepStatistics } from './write/planner-statistics';
import { RecordWriter } from './write/record-writer';
import { lockShop, ShopWriter } from './write/write-shop';

export { ImportError } from './import-error';
export type { ImportReport } from './import-report';

interface ImportOptions {
  readonly files: readonly string[];
  readonly shopDomain: string;
  readonly format: FormatName | 'auto';
  /** What the files do not name goes: products by soft deletion, collections and orders for good. */
  readonly replace?: boolean;
  /** Does everything and takes it back. */
  readonly dryRun?: boolean;
  readonly reading?: ReadingOptions;
  readonly clock: Clock;
  readonly onProgress?: (progress: ImportProgress) => void;
}

export interface ImportProgress {
  readonly bytesRead: number;
  readonly bytesTotal: number;
  readonly records: number;
}

interface Input {
  readonly source: SourceFile;
  readonly format: Format<FormatName>;
}

/**
 * Imports files into a shop, in their order, as one transaction. A mistake in what the user gave is thrown as ImportError,
 * and then nothing is written.
 */
export async function importFiles(database: Database, options: ImportOptions): Promise<ImportReport> {
  if (options.files.length === 0) throw new ImportError('expected at least one file to import');
  if (options.files.filter((file) => file === standardInputName).length > 1) {
    throw new ImportError('expected standard input (-) once: it can be read only once');
  }
  const inputs: Input[] = [];
  try {
    // All of them first: a file of an unknown shape should not be found after minutes of work on the others.
    for (const file of options.files) inputs.push(await openInput(file, options));
    return await importInputs(database, options, inputs);
  } finally {
    for (const { source } of inputs) await source.close();
  }
}

async function openInput(file: string, { format, reading }: ImportOptions): Promise<Input> {
  const source = await SourceFile.open(file, reading);
  try {
    return { source, format: await detectFormat(source, format) };
  } catch (error) {
    await source.close();
    throw error;
  }
}

function importInputs(database: Database, options: ImportOptions, inputs: readonly Input[]): Promise<ImportReport> {
  const { shopDomain, clock, dryRun = false, replace = false } = options;
  const startedAt = clock();
  const now = new Date(startedAt).toISOString();
  return inImportTransaction({ url: database.url, dryRun }, async (query) => {
    const { shopId, liveProducts } = await lockShop(query, shopDomain);
    await keepStatistics(query);
    const named = replace ? await NamedObjects.create(query) : undefined;
    const dropped = new DroppedCounter();
    const shop = new ShopWriter();
    const writer = new RecordWriter({ query, shopId, liveProducts, now, dropped, named });
    const files = await readInputs(inputs, dropped, shop, writer, options.onProgress);
    for (const kind of named ? kindsOf(inputs) : []) {
      writer.report(kind).removed += (await named?.removeOthers(kind, shopId, now)) ?? 0;
    }
    const { report: shops, lastSyncAt } = await shop.write(query, shopId, now);
    const { products, variants, orders } = writer;
    await countAnew(query, { products, product_tags: products, variants, orders });
    return {
      shop: shopDomain,
      dryRun,
      replace,
      files,
      shops,
      products: writer.products,
      variants: writer.variants,
      collections: writer.collections,
      orders: writer.orders,
      dropped: { emails: dropped.emails, ignoredMembers: dropped.ignoredMembers },
      lastSyncAt,
      durationMilliseconds: clock() - startedAt,
    };
  });
}

/** A bar needs no more often than this to move. */
const recordsPerProgress = 500;

async function readInputs(
  inputs: readonly Input[],
  dropped: DroppedCounter,
  shop: ShopWriter,
  writer: RecordWriter,
  onProgress: (progress: ImportProgress) => void = () => undefined,
): Promise<FileReport[]> {
  const reports: FileReport[] = [];
  const bytesTotal = sum(inputs.map(({ source }) => source.size));
  let before = 0;
  const progress = (records: number): void =>
    onProgress({ bytesRead: sum(inputs.map(({ source }) => source.bytesRead)), bytesTotal, records: before + records });
  for (const { source, format } of inputs) {
    let records = 0;
    for await (const record of format.read(source, dropped)) {
      records += 1;
      checkLengths(record, source.name);
      if (record.kind === 'shop') shop.add(record);
      else await writer.write(source.name, record);
      if (records % recordsPerProgress === 0) progress(records);
    }
    await writer.finish();
    progress(records);
    before += records;
    reports.push({ file: source.name, format: format.name, ...source.readAs, lines: source.lines, records });
  }
  return reports;
}

const kindsOf = (inputs: readonly Input[]): ReadonlySet<RecordKind> =>
  new Set(inputs.flatMap(({ format }) => [...format.kinds]));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
