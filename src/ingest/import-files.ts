import type { Clock } from '../common/clock';
import { maskAddresses } from '../privacy/addresses';
import { checkLengths, ListLimits } from './formats/check-lengths';
import { detectFormat } from './detect-format';
import { DroppedCounter } from './formats/dropped';
import type { Format, ReadContext } from './formats/format';
import { LinkedRows, toReference } from './formats/linked-rows';
import { openMap } from './open-map';
import type { FormatName } from './formats/descriptions';
import { ImportError, SourceLocation } from './values/import-error';
import type { FileReport, ImportReport, Removal } from './write/import-report';
import { Problems } from './formats/problems';
import type { JoinedVariantRecord, RecordKind } from './formats/record';
import type { Allowance } from './allowance';
import { refuseRemoval } from './removal-guard';
import { standardInputName, type OpenFile } from './source/raw-file';
import type { ReadingOptions } from './source/reading-options';
import { SourceFile } from './source/source-file';
import { SpreadsheetDamage } from './formats/spreadsheet-damage';
import type { LocalDateFormat } from './values/local-date';
import { displayName } from './values/display-names';
import { VitalMembers } from './formats/vital-members';
import { inImportTransaction } from './write/import-transaction';
import { refuseIdsOfOthers } from './write/kept-ids';
import { MemberTable } from './write/member-table';
import { NamedObjects } from './write/named-objects';
import { correctStatisticsBySize, analyzeFilledTables, keepStatistics } from './write/planner-statistics';
import { RecordWriter } from './write/record-writer';
import { StockTable } from './write/stock-table';
import { lockShop, ShopWriter } from './write/shop';

export { ImportError } from './values/import-error';
export type { ImportReport } from './write/import-report';

/** An open file whose format is known; it may contain no objects. */
interface KnownFile extends OpenFile {
  readonly format: Format;
  /** Whether it contains only changes since some time. */
  readonly isPartial: boolean;
}

interface ImportOptions {
  /** Paths, or open files; the import closes all of them. */
  readonly files: readonly (string | KnownFile)[];
  readonly shopDomain: string;
  readonly format: FormatName | 'auto';
  /** A map that describes the files: the name of a shipped map, or a path. */
  readonly map?: string | undefined;
  /** Deletes objects that are not in the files: products softly, collections and orders permanently. */
  readonly replace?: boolean;
  /** How many objects of each kind can be removed; undefined for the default limit. */
  readonly allowRemoving?: Allowance | undefined;
  /** New objects get the ids of the file, which must be a snapshot. */
  readonly keepIds?: boolean;
  /** The format of local dates. */
  readonly dateFormat?: LocalDateFormat | undefined;
  /** The shop's `last_sync_at` after the import, in ISO 8601; undefined for the time of the import. */
  readonly asOf?: string;
  /** How many objects with problems may be left out. */
  readonly skipInvalid?: number;
  /** Runs the whole import and rolls it back. */
  readonly dryRun?: boolean;
  readonly reading?: ReadingOptions;
  readonly clock: Clock;
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Called with a message for people while another session holds a lock that the import needs. */
  readonly onWait?: (line: string) => void;
  /** The longest wait for one lock. */
  readonly lockTimeoutMilliseconds?: number;
  /** Called before the commit: from then on the data may have been written. */
  readonly onCommit?: () => void;
}

interface ImportProgress {
  readonly bytesRead: number;
  readonly bytesTotal: number;
  readonly records: number;
}

interface Input {
  readonly source: SourceFile;
  readonly format: Format;
  readonly isPartial: boolean;
}

interface Receivers {
  readonly dropped: DroppedCounter;
  readonly shop: ShopWriter;
  readonly stock: StockTable;
  readonly writer: RecordWriter;
  /** Variants that wait for the file of their products. */
  readonly joined: LinkedRows<JoinedVariantRecord>;
}

/** The database of the shop; a function when it is opened only after the files. */
type ImportTarget = { readonly url: string } | (() => Promise<{ readonly url: string }>);

/**
 * Imports files into a shop, in their order, as one transaction. A mistake in the user's input is thrown as
 * ImportError, and then nothing is written.
 */
export async function importFiles(target: ImportTarget, options: ImportOptions): Promise<ImportReport> {
  if (options.files.length === 0) throw new ImportError('expected at least one file to import');
  if (options.files.filter((file) => file === standardInputName).length > 1) {
    throw new ImportError('standard input (-) can be used only once');
  }
  const inputs: Input[] = [];
  const joined = new LinkedRows<JoinedVariantRecord>();
  try {
    // Open all of them first: a file of an unknown format should not be found after minutes of work on the others.
    const wanted = options.map === undefined ? options.format : await openMap(options.map);
    for (const file of options.files) inputs.push(await openInput(file, wanted, options));
    checkCompanions(inputs);
    if (options.reading?.sheet !== undefined && !inputs.some(({ source }) => source.sheet))
      throw new ImportError('--sheet requires a workbook such as products.xlsx: remove --sheet, or pass the workbook');
    if (options.keepIds) checkIds(inputs);
    const { url } = typeof target === 'function' ? await target() : target;
    return await importInputs(url, options, inputs, joined);
  } finally {
    await joined.close();
    for (const { source } of inputs) await source.close();
  }
}

async function openInput(
  file: string | KnownFile,
  wanted: FormatName | 'auto' | readonly Format[],
  { reading }: ImportOptions,
): Promise<Input> {
  if (typeof file !== 'string') {
    const source = await SourceFile.open(file, { mayBeEmpty: true });
    return { source, format: file.format, isPartial: file.isPartial };
  }
  const source = await SourceFile.open(file, reading);
  try {
    return { source, format: detectFormat(source, wanted).format, isPartial: false };
  } catch (error) {
    await source.close();
    throw error;
  }
}

/** Products and variants in two files can only be imported together. */
function checkCompanions(inputs: readonly Input[]): void {
  for (const { source, format } of inputs) {
    const { companion } = format;
    if (companion === undefined || inputs.some((other) => other.format.name === companion.format)) continue;
    const advice = companion.isFirst ? '; if the shop has none, pass a file with only the header' : '';
    throw new ImportError(`${source.name}: expected ${companion.title} as well: import both files together${advice}`);
  }
}

/** @throws ImportError for a file that has no ids to keep */
function checkIds(inputs: readonly Input[]): void {
  const other = inputs.find(({ format }) => format.hasIds !== true);
  if (other === undefined) return;
  throw new ImportError(
    `${other.source.name}: --keep-ids requires files written by \`catalog export\`, but this file has the format ` +
      `${other.format.name}: import it without --keep-ids`,
  );
}

/** Variants come before their products. */
const readingOrder = ({ format }: Input): number => Number(format.companion?.isFirst !== false);

function importInputs(
  url: string,
  options: ImportOptions,
  inputs: readonly Input[],
  joined: LinkedRows<JoinedVariantRecord>,
): Promise<ImportReport> {
  const { shopDomain, clock, dryRun = false, replace = false } = options;
  const startedAt = clock();
  const now = new Date(startedAt).toISOString();
  return inImportTransaction({ ...options, url, domain: shopDomain, dryRun }, async (query, copyIn) => {
    const { shopId, liveProducts } = await lockShop(query, shopDomain);
    await keepStatistics(query);
    await correctStatisticsBySize(query, ['products', 'variants', 'product_tags', 'collections', 'orders']);
    const named = replace ? await NamedObjects.create(query, shopId) : undefined;
    const dropped = new DroppedCounter();
    const shop = new ShopWriter();
    const stock = new StockTable(query, shopId);
    const members = new MemberTable(query, shopId);
    const writer = new RecordWriter({ query, copyIn, shopId, liveProducts, now, dropped, named, members });
    const receivers = { dropped, shop, stock, writer, joined };
    const { files, warnings, leftOut } = await readInputs(inputs, { asOf: now, ...options }, now, receivers);
    const inventory = await stock.apply(now, writer.changes);
    const warningsOfMembers = await members.apply(writer.changes);
    const removals = named ? await removeOthers(named, kindsOf(inputs), writer, options.allowRemoving, now) : [];
    const { report: shops, lastSyncAt } = await shop.write(query, shopId, options.asOf ?? now);
    if (options.keepIds) await refuseIdsOfOthers(query, shopId);
    const { products, variants, collections, orders } = writer;
    await analyzeFilledTables(query, { products, product_tags: products, variants, orders });
    return {
      shop: shopDomain,
      dryRun,
      replace,
      files,
      shops,
      products,
      variants,
      collections,
      orders,
      changes: writer.changes.report,
      inventory,
      removals,
      leftOut: leftOut.map(({ problem, message }) => problem ?? { message }),
      warnings: [...warnings, ...writer.warnings, ...warningsOfMembers].map((warning) => maskAddresses(warning)),
      dropped: { emails: dropped.emails, ignoredMembers: dropped.ignoredMembers },
      lastSyncAt,
      durationMilliseconds: clock() - startedAt,
    };
  });
}

/** @throws ImportError when more would be removed than is allowed */
async function removeOthers(
  named: NamedObjects,
  kinds: Iterable<RecordKind>,
  writer: RecordWriter,
  allowance: Allowance | undefined,
  now: string,
): Promise<Removal[]> {
  const removals: Removal[] = [];
  for (const kind of kinds) removals.push(await named.findOthers(kind));
  const planned = removals.map((removal) => ({ ...removal, read: writer.report(removal.kind).read }));
  const refusal = refuseRemoval(planned, allowance);
  if (refusal) throw refusal;
  for (const { kind, count } of removals) {
    if (count === 0) continue;
    const changes = await named.removeOthers(kind, now);
    if (changes) writer.changes.add(changes);
    writer.report(kind).removed += count;
  }
  return removals;
}

/** The progress bar needs no more frequent updates than this. */
const recordsPerProgress = 500;

/** Maximum number of unread columns in a report. */
const maxUnread = 200;

/**
 * Reads all files and writes their records until there is a problem; after that it only collects further problems.
 * @throws ImportError that lists the problems
 */
async function readInputs(
  inputs: readonly Input[],
  options: ImportOptions & { readonly asOf: string },
  now: string,
  { dropped, shop, stock, writer, joined }: Receivers,
) {
  const {
    onProgress = () => undefined,
    dateFormat,
    keepIds: keepsIds = false,
    skipInvalid,
    asOf,
    shopDomain: domain,
  } = options;
  const problems = new Problems(skipInvalid);
  /** Products that would lose a variant, because it is left out. */
  const incomplete = new Set<string>();
  const files: FileReport[] = [];
  const warnings: string[] = [];
  const bytesTotal = sum(inputs.map(({ source }) => source.size));
  let before = 0;
  const progress = (records: number): void =>
    onProgress({ bytesRead: sum(inputs.map(({ source }) => source.bytesRead)), bytesTotal, records: before + records });
  for (const { source, format, isPartial } of inputs.toSorted((a, b) => readingOrder(a) - readingOrder(b))) {
    let records = 0;
    problems.beginFile(source.name);
    const columns = { missingColumns: [] as readonly string[], unreadColumns: [] as readonly string[] };
    const damage = new SpreadsheetDamage(source.name, problems, format.hasIds === true, now);
    const vital = new VitalMembers();
    const limits = new ListLimits();
    const ownWarnings: string[] = [];
    const warn = (text: string): void => void ownWarnings.push(text);
    const noteColumns: ReadContext['noteColumns'] = (missing, unread) =>
      Object.assign(columns, { missingColumns: missing, unreadColumns: unread.slice(0, maxUnread).map((name) => displayName(name)) }); // prettier-ignore
    const context = { dropped, problems, dateFormat, domain, asOf, keepsIds, isPartial, warn, noteColumns, joined };
    try {
      for await (const read of format.read(source, context)) {
        records += 1;
        const record = limits.apply(damage.examine(read));
        checkLengths(record, source.name, problems);
        vital.note(record);
        if (records % recordsPerProgress === 0) progress(records);
        const problem = problems.claim(record);
        if (problem) {
          if (record.kind === 'variant' && record.productId !== '') incomplete.add(toReference(record.productId));
          // The stock of a variant is a sum, which needs all of its parts.
          // A variant without the ID of its product could be missing from any product.
          else if (['variant', 'stock', 'shop'].includes(record.kind)) problems.addFatal(problem);
          continue;
        }
        if (!problems.areTolerable && record.kind !== 'variant') continue;
        if (record.kind === 'product' && incomplete.has(toReference(record.values.external_id))) continue;
        if (record.kind === 'variant')
          await joined.add(record, record.productId, new SourceLocation(source.name, record.line));
        else if (record.kind === 'shop') shop.add(record);
        else if (record.kind === 'stock') await stock.add(source.name, record);
        else await writer.write(source.name, record);
      }
      // A shop that is pulled may have nothing but drafts.
      if (records === 0 && problems.isEmpty && source.items > 0 && typeof options.files[0] === 'string')
        throw nothingRead(source, ownWarnings);
      problems.claimOthers();
      if (problems.areTolerable) await writer.finish();
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      problems.addFatal(error);
    }
    progress(records);
    before += records;
    warnings.push(
      ...[...ownWarnings, ...vital.warnings, ...limits.warnings].map((text) => `${source.name}: ${text}`),
      ...damage.finish(),
    );
    const { lines, readAs } = source;
    files.push({ file: source.name, format: format.name, ...readAs, lines, records, ...columns });
  }
  if (!problems.areTolerable) problems.throwAny();
  return { files, warnings: [...warnings, ...joined.warnings], leftOut: problems.leftOut };
}

/** The error for a file whose rows or objects were all left out by rules, which the warnings name. */
const nothingRead = ({ name, items }: SourceFile, warnings: readonly string[]): ImportError =>
  new ImportError(
    `${name}: nothing was imported (rows or objects read: ${items})${warnings.map((text) => `; ${text}`).join('')}`,
  );

const kindsOf = (inputs: readonly Input[]): ReadonlySet<RecordKind> =>
  new Set(inputs.flatMap(({ format }) => [...format.kinds]));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
