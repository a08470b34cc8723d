import { getOrMake } from '../../common/once';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { constraintOf } from '../../database/sharding/shard-groups';
import { removeOrderAddresses } from '../../catalog/order/order-privacy';
import { checkProductSize } from '../formats/check-lengths';
import { ImportError } from '../values/import-error';
import type { DroppedCounter } from '../formats/dropped';
import { type ContentChanges, ContentCounter, emptyKindReport, type KindReport } from './import-report';
import type { AbsentFromProducts, CatalogRecord, OrderValues, RecordKind } from '../formats/record';
import { Batch } from './batch';
import type { CopyIn, Query } from './import-transaction';
import type { NamedObjects } from './named-objects';
import { correctStatistics } from './planner-statistics';
import { Stage, toStagedLine } from './staging';
import { deleteProductsStatement, upsertProductsStatement, type WrittenProducts } from './upsert-products';
import { upsertRowsStatement, type WrittenRows } from './upsert-rows';

type WritableRecord = Exclude<CatalogRecord, { kind: 'shop' | 'stock' | 'variant' }>;
type BatchKind = WritableRecord['kind'];

interface RecordWriterOptions {
  readonly query: Query;
  readonly copyIn: CopyIn;
  readonly shopId: string;
  /** The number of products of the shop before the import. */
  readonly liveProducts: number;
  /** The time of the import, as text. */
  readonly now: string;
  readonly dropped: DroppedCounter;
  /** Under `--replace`: records the objects that the files contain. */
  readonly named: NamedObjects | undefined;
  /** Receives the products of collections. */
  readonly members: { add(): Promise<void> };
}

/**
 * A batch takes several statements, and the next is sent only when the response to the last one is read. Reading
 * records rarely yields to the event loop, so it does so after this many characters, about half a millisecond.
 */
const charactersPerYield = 8_000;

/** Writes records in batches. While one batch is being written, the next one is read. */
export class RecordWriter {
  readonly products = emptyKindReport();
  readonly variants = emptyKindReport();
  readonly collections = emptyKindReport();
  readonly orders = emptyKindReport();
  readonly changes = new ContentCounter();
  /** Products whose variants were not updated, because rows of the file match several of them. */
  readonly #unclear = { products: 0, examples: [] as string[] };
  readonly #stage: Stage;
  readonly #batches = new Map<BatchKind, Batch>();
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;
  /** Characters added since the event loop last ran. */
  #sinceYield = 0;

  constructor(private readonly options: RecordWriterOptions) {
    this.#stage = new Stage(options.query, options.copyIn);
  }

  async write(file: string, read: WritableRecord): Promise<void> {
    const record = read.kind === 'order' ? { ...read, values: this.#withoutAddresses(read.values) } : read;
    const externalId = record.kind === 'deleted-product' ? record.externalId : record.values.external_id;
    const related =
      record.kind === 'product' ? 'deleted-product' : record.kind === 'deleted-product' ? 'product' : undefined;
    if (related && this.#batches.get(related)?.has(externalId)) await this.#flush(related);
    const absent = record.kind === 'deleted-product' ? undefined : record.absent;
    const waiting = this.#batches.get(record.kind);
    if (waiting && (waiting.has(externalId) || waiting.absent !== absent)) await this.#flush(record.kind);
    const batch = getOrMake(this.#batches, record.kind, () => new Batch(file, record.line, absent));
    batch.lastLine = record.line;
    this.#sinceYield += addTo(batch, record, file);
    if (batch.isFull) await this.#flush(record.kind);
    if (this.#isRunning && this.#sinceYield > charactersPerYield) {
      this.#sinceYield = 0;
      await nextTurn();
    }
  }

  /** Writes the remaining records; also called between two files, so that an error reports the right one. */
  async finish(): Promise<void> {
    for (const kind of [...this.#batches.keys()]) await this.#flush(kind);
    await this.#running;
  }

  get warnings(): string[] {
    const { products, examples } = this.#unclear;
    if (products === 0) return [];
    const shown = examples.slice(0, 3).join(', ');
    return [
      `some variants of ${products} ${products === 1 ? 'product' : 'products'} (${shown}${products > 3 ? ', …' : ''}) were not updated: ` +
        'without all of the columns Option1 Value to Option3 Value, a row may match several of them',
    ];
  }

  report(kind: RecordKind): KindReport {
    return { product: this.products, collection: this.collections, order: this.orders }[kind];
  }

  async #flush(kind: BatchKind): Promise<void> {
    const batch = this.#batches.get(kind);
    this.#batches.delete(kind);
    await this.#running;
    if (batch === undefined) return;
    this.#running = this.#run(kind, batch);
    // The next caller that awaits it gets the error; until then it must not count as unhandled.
    this.#running.catch(() => undefined);
  }

  async #run(kind: BatchKind, batch: Batch): Promise<void> {
    this.#isRunning = true;
    try {
      await this.#correctStatistics();
      await this.options.named?.add(kind === 'deleted-product' ? 'product' : kind, batch.externalIds);
      if (kind === 'product') await this.#writeProducts(batch);
      else if (kind === 'deleted-product') await this.#deleteProducts(batch);
      else await this.#writeRows(kind, batch);
    } catch (error) {
      throw isRefusal(error) ? refusal(error, locationOf(batch)) : error;
    } finally {
      this.#isRunning = false;
    }
  }

  /** Runs before every batch: autovacuum may analyze the tables during the import, and find them empty. */
  async #correctStatistics(): Promise<void> {
    const { query, liveProducts } = this.options;
    await correctStatistics(query, {
      products: Math.max(this.products.read, liveProducts),
      variants: Math.max(this.variants.read, liveProducts),
      collections: this.collections.read,
      orders: this.orders.read,
    });
  }

  async #writeProducts(batch: Batch): Promise<void> {
    const { query, shopId, now } = this.options;
    await this.#stage.fill('products', batch.lines);
    await this.#stage.fill('variants', batch.childLines);
    const { rows } = await query<WrittenProducts>(
      upsertProductsStatement(batch.absent as AbsentFromProducts | undefined),
      [shopId, now, this.products.read],
    );
    const [written] = rows;
    if (written === undefined) return;
    refuseOtherId('product', written.other_id_product, batch);
    refuseOtherId('variant', written.other_id_variant, batch);
    this.changes.add(written.changes);
    this.#unclear.products += written.unclear;
    if (this.#unclear.examples.length < 3) this.#unclear.examples.push(...(written.unclear_examples ?? []));
    count(this.products, batch.lines.count, written.created, written.updated);
    count(this.variants, batch.childLines.count, written.variants_created, written.variants_updated);
    this.variants.removed += written.variants_removed;
  }

  async #deleteProducts(batch: Batch): Promise<void> {
    const { query, shopId, now } = this.options;
    const externalIds = batch.externalIds;
    const { rows } = await query<{ found: number; deleted: number; changes: ContentChanges }>(deleteProductsStatement, [
      shopId,
      externalIds,
      now,
    ]);
    const { found = 0, deleted = 0, changes } = rows[0] ?? {};
    if (changes) this.changes.add(changes);
    this.products.read += externalIds.length;
    this.products.deleted += deleted;
    this.products.unchanged += found - deleted;
    this.products.skipped += externalIds.length - found;
  }

  async #writeRows(kind: 'collection' | 'order', batch: Batch): Promise<void> {
    const { query, shopId, members } = this.options;
    await this.#stage.fill(`${kind}s`, batch.lines);
    const statement = upsertRowsStatement(`${kind}s`, batch.absent as ReadonlySet<string> | undefined);
    const { rows } = await query<WrittenRows>(statement, [shopId]);
    const { created = 0, updated = 0, other_id = null } = rows[0] ?? {};
    refuseOtherId(kind, other_id, batch);
    count(this.report(kind), batch.lines.count, created, updated);
    if (batch.listsProducts) await members.add();
  }

  /** No format stores e-mail addresses (D25). */
  #withoutAddresses(given: OrderValues): OrderValues {
    const { order, removed } = removeOrderAddresses(given, this.options.shopId);
    this.options.dropped.emails += removed;
    return order;
  }
}

/** @returns the size of the record in characters */
function addTo(batch: Batch, record: WritableRecord, file: string): number {
  if (record.kind === 'deleted-product') return batch.add(record.externalId);
  const { kind, values } = record;
  const number = batch.lines.count;
  const variants = kind === 'product' ? record.variants : [];
  const children = variants.map((variant) => toStagedLine('variants', number, variant));
  const staged = kind === 'collection' ? { ...values, products: record.products } : values;
  if (kind === 'collection' && record.products) batch.listsProducts = true;
  const size = batch.add(values.external_id, toStagedLine(`${kind}s`, number, staged), children);
  if (kind === 'product') checkProductSize(record, size, file);
  return size;
}

function count(report: KindReport, read: number, created: number, updated: number): void {
  report.read += read;
  report.created += created;
  report.updated += updated;
  report.unchanged += read - created - updated;
}

const uniqueViolation = '23505';

/** Classes 22 and 23: a value that a column or a constraint rejects. */
export const isRefusal = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && /^(?:22|23)/.test(error.code ?? '');

/** @throws ImportError when an object of the batch is stored under another id */
function refuseOtherId(kind: string, externalId: string | null, batch: Batch): void {
  if (externalId === null) return;
  throw new ImportError(
    `${locationOf(batch)}: the shop has the ${kind} ${JSON.stringify(externalId)} under another ID, and IDs never change; ` +
      'import into an empty shop, or without --keep-ids',
  );
}

const locationOf = ({ file, firstLine, lastLine }: Batch): string =>
  `${file}, ${firstLine === lastLine ? 'line' : `lines ${firstLine} to`} ${lastLine}`;

/** The database's own message is omitted: it contains values. */
export function refusal(error: DatabaseError, where: string): ImportError {
  const constraint = constraintOf(error);
  if (error.code === uniqueViolation && constraint?.endsWith('_pkey')) {
    return new ImportError(`${where}: two objects have the same ID; --keep-ids requires unique IDs`, {
      cause: error,
    });
  }
  const reason = constraint === undefined ? `error ${error.code}` : `constraint ${constraint}`;
  return new ImportError(`${where}: the database rejected an object (${reason})`, {
    cause: error,
  });
}
