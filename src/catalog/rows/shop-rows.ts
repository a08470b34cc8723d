import type { Database, ShopVersion } from '../../database/database';
import type { Sql } from '../../database/sql';
import { sql, rawSql } from '../../database/sql';
import type { Cancellation } from '../../common/cancellation';
import type { KeysetList, KeysetRange, KeysetSection } from '../../relay/connection';
import type {
  BucketGroups,
  OrderGrouping,
  PriceGroup,
  ProductTrait,
  OrderSections,
  ValueGroup,
} from './figure-statement';
import {
  figureColumns,
  toOrderCount,
  toOneStatement,
  toOrderExtent,
  toOrderGroups,
  toRolledUpGroups,
  toOutOfStock,
  toPriceGroups,
  toValueGroups,
} from './figure-statement';
import type { ChangeEntry, ChangeSection, HistoryAnswer } from './change-statement';
import { changeColumns, toChangesStatement, toHistory } from './change-statement';
import { factsOf, objectTypes } from './object-type';
import { never } from './condition';
import { toVariantPages, toVariantRange } from './variant-page-statement';
import {
  and,
  dataVersionOf,
  whereLookedUp,
  whereVisible,
  ofShop,
  toCountStatement,
  toPageStatement,
} from './page-statement';
import type { OperationMemory, RowsAsText } from '../operation-reads';
import {
  AnswerTooLargeError,
  VersionsRead,
  columnSeparator,
  isShortened,
  isTooLarge,
  maximumAnswerBytes,
  rowSeparator,
  toBoundedText,
  toPageBytes,
  toPageText,
  toRowsIfLong,
  toShortenedText,
} from '../operation-reads';
import { WorkTurns } from '../../common/fair-turns';
import type { LargeProduct } from './large-product';
import { openLargeProduct } from './large-product';
import type { ProductJsonReader } from './product-json';
import type { Projection, RawRow, Redaction } from './projection';
import { isComplete, redactJson, redactRow } from './projection';
import type { RowOf, ShopTable, ShopTableName } from './shop-tables';
import { restForm, shopTables, toJsonArray, toJsonObject } from './shop-tables';
import type { OutputRow } from './row-turns';
import { endOfTurn } from './row-turns';
import type { RangePath, ShopList } from './shop-list';

/** The columns of every row, in any table. */
interface ShopRow {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** A list of rows, whose pages are also available as JSON texts that PostgreSQL wrote. */
export interface RowList<Row> extends KeysetList<Row> {
  raw(projection: Projection): KeysetList<RawRow>;
}

/** The source of the rows of all shops. */
export interface RowSource {
  readonly database: Database;
  readonly readProduct: ProductJsonReader;
}

interface ShopRowsOptions {
  readonly cancellation?: Cancellation | undefined;
  /** Collects the version of each statement's snapshot. */
  readonly versions?: VersionsRead;
  readonly turns?: WorkTurns;
  /** Counts what is read. */
  readonly memory?: OperationMemory;
  /** The most bytes of each page. */
  readonly pageBytes?: number;
}

/**
 * The rows of one shop: the only access of the resolvers to the database. The shop is set once, when a request's principal is known, and is
 * part of every statement made here; a reader cannot omit it or set another.
 * A row is read as one JSON text: the driver handles few large values far faster than many small ones, and decimals and timestamps leave
 * PostgreSQL in their final form (D21, D23). Everything in a row that must never be returned is removed here (D25): no answer has a row
 * from elsewhere.
 */
export class ShopRows {
  readonly #source: RowSource;
  readonly #at: ShopVersion;
  readonly #shop: Sql;
  readonly #cancellation: Cancellation | undefined;
  readonly #versions: VersionsRead;
  readonly #turns: WorkTurns;
  readonly #memory: OperationMemory | undefined;
  readonly #pageBytes: number;
  /** The size of the rows read so far, as JSON text. */
  #bytes = 0;

  constructor(
    source: RowSource,
    at: ShopVersion,
    {
      cancellation,
      versions = new VersionsRead(),
      turns = new WorkTurns(at.shopId),
      memory,
      pageBytes = toPageBytes(1),
    }: ShopRowsOptions = {},
  ) {
    this.#source = source;
    this.#at = at;
    this.#shop = sql`${at.shopId}::uuid`;
    this.#cancellation = cancellation;
    this.#versions = versions;
    this.#turns = turns;
    this.#memory = memory;
    this.#pageBytes = pageBytes;
  }

  /** The shop's id in SQL, for conditions of a list that read another table. */
  get shop(): Sql {
    return this.#shop;
  }

  /** A list of rows from which pages can be read. */
  list<Table extends ShopTableName>(table: Table, list: ShopList): RowList<RowOf<Table>> {
    const { sort } = list;
    const columns = {
      ...shopTables[table].columns,
      ...(sort.isExtra ? { [sort.member]: `t.${sort.column}` } : {}),
    } as Readonly<Record<string, string>>;
    const count = () => this.#count(table, list);
    const hasAny = (range: KeysetRange) => this.#hasAny(table, list, range);
    return {
      count,
      hasAny,
      positionOf: (row: ShopRow) => [toSortText(row[sort.member]), row.id],
      read: async (range) => {
        const page = await this.#page(table, list, range, [`${toJsonArray(columns)}::text`]);
        return { ...page, items: await this.#toObjects<RowOf<Table>>(table, columns, page.items) };
      },
      raw: (projection) => {
        const position = findPlace(projection, sort.member);
        const idName = position.columns.at(-1)?.name as string;
        const outputs = [projection, ...(position.isShown ? [] : [position.columns])].map((shown) =>
          toJsonObject(table, shown, columns),
        );
        return {
          count,
          hasAny,
          positionOf: ({ at }) => {
            const row = JSON.parse(at) as Record<string, unknown>;
            const [value, id] = position.columns.map(({ name }) => toSortText(row[name])) as [string | null, string];
            return [value, id];
          },
          read: async (range) => {
            const page = await this.#page(table, list, range, outputs);
            const redaction = redactionOf(table);
            if (redaction === undefined)
              return { ...page, items: page.items.map(([json = '', at = json]): RawRow => ({ json, at })) };
            const toShown = ([json = '', at = json]: OutputRow): RawRow => {
              if (!redaction.isNeeded(json)) return { json, at };
              const { [idName]: id } = JSON.parse(at) as Record<string, string>;
              return { json: redactJson(redaction, json, projection, id as string), at };
            };
            return { ...page, items: await this.#inTurns(page.items, (some) => some.map(toShown), redaction) };
          },
        };
      },
    };
  }

  /** Rows with one of the ids, in no particular order. */
  async byIds<Table extends ShopTableName>(table: Table, ids: readonly string[]): Promise<readonly RowOf<Table>[]> {
    if (ids.length === 0) return [];
    const { name, columns } = shopTables[table];
    const conditions = and([ofShop(table, this.#shop), whereLookedUp, ...whereVisible(table, this.#shop)]);
    // One by one, because only then is each found by its key whatever the planner estimates for the array. OFFSET 0, so that a row is
    // serialized once and not for its size as well.
    const rows = toRowsAsText(
      [`${toJsonArray(columns)}::text`],
      (outputs) => sql`
        SELECT found.* FROM unnest(${ids}::uuid[]) AS asked (id)
         CROSS JOIN LATERAL (
               SELECT ${outputs} FROM ${rawSql(name)} AS t WHERE ${conditions} AND t.id = asked.id OFFSET 0) AS found`,
    );
    return this.#toObjects<RowOf<Table>>(table, columns, await this.#readBounded(rows));
  }

  /** The variants of each of the products in their order (D9). */
  async variantsOf(productIds: readonly string[]): Promise<readonly RowOf<'variants'>[]> {
    const { name, columns } = shopTables.variants;
    // Product by product, because only then is their order that of an index on PostgreSQL 16 and before (docs/decisions.md 35).
    const rows = toRowsAsText(
      [`${toJsonArray(columns)}::text`],
      (outputs) => sql`
        SELECT variant.* FROM unnest(${productIds}::uuid[]) AS asked (id)
         CROSS JOIN LATERAL (
               SELECT ${outputs} FROM ${rawSql(name)} AS t
                WHERE ${ofShop('variants', this.#shop)} AND t.product_id = asked.id
                ORDER BY t.position, t.id OFFSET 0) AS variant`,
    );
    return this.#toObjects('variants', columns, await this.#readBounded(rows));
  }

  /**
   * The first rows of a range of the variants of each of the products, in their order (D9). The products have equal shares of a page.
   * @param range Its positions are those of variants of one product.
   */
  async variantPagesOf(
    productIds: readonly string[],
    range: KeysetRange,
  ): Promise<ReadonlyMap<string, KeysetSection<RowOf<'variants'>>>> {
    const { columns } = shopTables.variants;
    const most = Math.floor(this.#pageBytes / productIds.length);
    const rows = toRowsAsText([`${toJsonArray(columns)}::text`], (outputs) =>
      toVariantPages({ shop: this.#shop, productIds, range, outputs, most }),
    );
    const found = await this.#readBounded(rows);
    const cut = new Set(found.flatMap(([json = '']) => (json.startsWith('[') ? [] : [json])));
    const whole = await this.#toObjects<RowOf<'variants'>>(
      'variants',
      columns,
      found.filter(([json = '']) => !cut.has(json)),
    );
    const pages = new Map(productIds.map((id) => [id, { items: [] as RowOf<'variants'>[], isShortened: cut.has(id) }]));
    for (const row of range.backwards ? whole.toReversed() : whole) pages.get(row.productId)?.items.push(row);
    return pages;
  }

  /** Whether a range of the variants of a product has any. */
  async hasVariants(productId: string, range: KeysetRange): Promise<boolean> {
    const outputs = sql`'1' AS found`;
    const of = { shop: this.#shop, product: sql`${productId}::uuid`, range: { ...range, limit: 1 }, outputs };
    return (await this.#readText(toVariantRange(of))) !== null;
  }

  /**
   * A product and then its variants in their order (D9), each as the REST API shows it, as JSON text; empty when there is none.
   * @throws ProductTooLargeError
   */
  async rawProduct(id: string): Promise<readonly string[]> {
    if (this.#bytes > maximumAnswerBytes) throw this.#tooLarge();
    const { dataVersion, texts } = await this.#source.readProduct({ ...this.#at, id });
    this.#versions.add(dataVersion);
    this.#countBytes(texts);
    return texts;
  }

  /** The same of a product that is too large for that, while it is read; null when there is none. */
  async largeProduct(id: string): Promise<LargeProduct | null> {
    const product = await openLargeProduct(this.#source.database.url, { ...this.#at, id });
    if (product !== null) this.#versions.add(product.dataVersion);
    return product;
  }

  /** The same as rows. */
  async productWithVariants(
    id: string,
  ): Promise<{ readonly product: RowOf<'products'>; readonly variants: readonly RowOf<'variants'>[] } | null> {
    const [text, ...variants] = await this.rawProduct(id);
    if (text === undefined) return null;
    const product = toRestRow('products', JSON.parse(text) as RestObject);
    const rows = variants.map((variant): OutputRow => [variant]);
    return {
      product,
      variants: await this.#inTurns(rows, (some) =>
        (JSON.parse(joinRows(some)) as RestObject[]).map((variant) =>
          toRestRow('variants', variant, { productId: product.id }),
        ),
      ),
    };
  }

  /** Whether the shop's data had this version when the caller was authenticated. */
  isAtVersion(dataVersion: string): boolean {
    return this.#at.dataVersion === dataVersion;
  }

  /** A section of the change feed, the shop's history beside the requested epoch, and the version, all from one snapshot. */
  async changes(section: ChangeSection, epoch: string | null): Promise<ChangesRead> {
    const rows = { rows: toChangesStatement(this.#shop, section), columns: changeColumns };
    const read = async (page: Sql) => {
      const value = sql`SELECT ${toHistory(this.#shop, epoch)} || E'\\x1d' || coalesce((${page}), E'\\x1d')`;
      const { version, texts } = await this.#readValue(value);
      const [first = '', ...more] = texts;
      const [history = '', found = '', isEmpty] = first.split(partSeparator);
      return { version, history, texts: isEmpty === undefined ? [found, ...more] : [] };
    };
    const paged = await read(toPageText(rows, this.#pageBytes, section.limit));
    const page = isTooLarge(paged.texts) ? await read(toShortenedText(rows, this.#pageBytes)) : paged;
    if (isTooLarge(page.texts)) throw this.#tooLarge();
    const { items, isShortened } = toSection(rows, page.texts);
    return {
      version: BigInt(page.version),
      history: JSON.parse(page.history) as HistoryAnswer,
      entries: await this.#inTurns(items, (some) => some.map(toChangeEntry), redactionOf('orders')),
      isShortened,
    };
  }

  /** The shop's history on the primary, which a replica may not have yet. */
  async primaryHistory(epoch: string | null): Promise<Omit<ChangesRead, 'entries' | 'isShortened'>> {
    const statement = sql`SELECT ${dataVersionOf(this.#shop)}, ${toHistory(this.#shop, epoch)}`;
    const [row] = await this.#source.database.readRows(statement, this.#cancellation);
    const [version, history] = row as unknown as [string, string];
    return { version: BigInt(version), history: JSON.parse(history) as HistoryAnswer };
  }

  /** What each key did on the days up to today, the latest first; of very many keys the latest days. */
  async keyUsage(days: number): Promise<readonly KeyUsageRow[]> {
    return JSON.parse((await this.#readText(toKeyUsage(this.#shop, days))) ?? '[]') as KeyUsageRow[];
  }

  /** When the first and the last order were placed; null when there is none. */
  async orderExtent(): Promise<{ readonly first: string | null; readonly last: string | null }> {
    const text = await this.#readText(toOrderExtent(this.#shop));
    const [first, last] = JSON.parse(text ?? '[null,null]') as [string | null, string | null];
    return { first, last };
  }

  /** How many orders a path leads to, counted no further than one more than `most`. */
  async orderCount(path: RangePath, most: number): Promise<number> {
    return Number(await this.#readText(toOrderCount(this.#shop, path, most)));
  }

  /**
   * Orders counted and summed up by each grouping, as of one moment, in no particular order; buckets without orders may be absent.
   * @param path leads to all of them, and perhaps to others
   * @param bounds where the buckets begin, and where the last one ends
   */
  orderGroups(
    groupings: readonly OrderGrouping[],
    path: RangePath,
    bounds: readonly string[],
    where: readonly Sql[],
  ): Promise<readonly (readonly BucketGroups[])[]> {
    return this.#figuresOfOneMoment(
      groupings.map((grouping) => toOrderGroups(this.#shop, grouping, path, bounds, where)),
    );
  }

  /**
   * The same, mostly from rollups.
   * @param where conditions on columns that `order_figures` has too
   */
  rolledUpOrderGroups(
    groupings: readonly OrderGrouping[],
    sections: OrderSections,
    where: readonly Sql[],
  ): Promise<readonly (readonly BucketGroups[])[]> {
    return this.#figuresOfOneMoment(
      groupings.map((grouping) => toRolledUpGroups(this.#shop, grouping, sections, where)),
    );
  }

  /** Visible products by a text, the most frequent first; the last group is that of all texts and of none. */
  productValues(trait: ProductTrait, most: number): Promise<readonly ValueGroup[]> {
    return this.#figures(toValueGroups(this.#shop, trait, most));
  }

  /** Visible products by their lowest price, those without one last. */
  productPrices(bounds: readonly string[]): Promise<readonly PriceGroup[]> {
    return this.#figures(toPriceGroups(this.#shop, bounds));
  }

  async productsOutOfStock(): Promise<number> {
    return Number(await this.#readText(toOutOfStock(this.#shop)));
  }

  async #figures<Figure>(rows: Sql): Promise<readonly Figure[]> {
    return this.#parse(await this.#readBounded({ rows, columns: figureColumns }));
  }

  /** By statements at the same time; where a write was committed between their snapshots, once more by a single one. */
  async #figuresOfOneMoment<Figure>(statements: readonly Sql[]): Promise<readonly (readonly Figure[])[]> {
    const read = await Promise.all(statements.map((rows) => this.#readVersioned({ rows, columns: figureColumns })));
    if (new Set(read.map(({ version }) => version)).size <= 1) {
      return Promise.all(read.map(({ rows }) => this.#parse<Figure>(rows)));
    }
    for (const [figure = ''] of read.flatMap(({ rows }) => rows)) this.#bytes -= figure.length;
    const figures = await this.#figures<readonly [index: number, figure: Figure]>(toOneStatement(statements));
    return statements.map((_, index) => figures.filter(([own]) => own === index).map(([, figure]) => figure));
  }

  #parse<Figure>(rows: readonly OutputRow[]): Promise<readonly Figure[]> {
    return this.#inTurns(rows, (some) => some.map(([figure = '']) => JSON.parse(figure) as Figure));
  }

  async #page(
    table: ShopTableName,
    list: ShopList,
    range: KeysetRange,
    outputs: readonly string[],
  ): Promise<KeysetSection<OutputRow>> {
    if (list.where.includes(never)) return { items: [], isShortened: false };
    const page = toRowsAsText(outputs, (named) =>
      toPageStatement({ shop: this.#shop, table, list, range, outputs: named }),
    );
    let texts = await this.#readTexts(toPageText(page, this.#pageBytes, range.limit));
    if (isTooLarge(texts)) texts = await this.#readTexts(toShortenedText(page, this.#pageBytes));
    if (isTooLarge(texts)) throw this.#tooLarge();
    const section = toSection(page, texts);
    return range.backwards ? { ...section, items: section.items.toReversed() } : section;
  }

  async #hasAny(table: ShopTableName, list: ShopList, range: KeysetRange): Promise<boolean> {
    if (list.where.includes(never)) return false;
    const outputs = sql`'1' AS found`;
    const statement = toPageStatement({ shop: this.#shop, table, list, range: { ...range, limit: 1 }, outputs });
    return (await this.#readText(statement)) !== null;
  }

  /** Many rows yield to the event loop in between. */
  async #toObjects<Row extends ShopRow>(
    table: ShopTableName,
    columns: Readonly<Record<string, string>>,
    rows: readonly OutputRow[],
  ): Promise<readonly Row[]> {
    const redaction = redactionOf(table);
    return this.#inTurns(rows, (some) => toObjects<Row>(redaction, columns, some), redaction);
  }

  /**
   * Converts rows, in turns of the event loop where they are many, long or suspicious.
   * @param redaction That `convert` applies to them.
   */
  async #inTurns<Row>(
    rows: readonly OutputRow[],
    convert: (some: readonly OutputRow[]) => readonly Row[],
    redaction?: Redaction,
  ): Promise<readonly Row[]> {
    if (endOfTurn(rows, 0, redaction) === rows.length) return convert(rows);
    const converted: Row[] = [];
    for (let start = 0; start < rows.length;) {
      await this.#turns.next();
      const end = endOfTurn(rows, start, redaction);
      converted.push(...convert(rows.slice(start, end)));
      start = end;
    }
    return converted;
  }

  async #count(table: ShopTableName, list: ShopList): Promise<number> {
    if (list.where.includes(never)) return 0;
    return Number(await this.#readText(toCountStatement({ shop: this.#shop, table, list })));
  }

  /** @throws AnswerTooLargeError */
  async #readBounded(rows: RowsAsText): Promise<readonly OutputRow[]> {
    return (await this.#readVersioned(rows)).rows;
  }

  /** The same, beside the version of the statement's snapshot. */
  async #readVersioned(rows: RowsAsText): Promise<{ readonly version: string; readonly rows: readonly OutputRow[] }> {
    const { version, texts } = await this.#readValue(toBoundedText(rows));
    if (isTooLarge(texts)) throw this.#tooLarge();
    return { version, rows: toOutputRows(rows, texts) };
  }

  /** The result of a statement of one short value; null when it has no rows. */
  async #readText(value: Sql): Promise<string | null> {
    const [text = null] = await this.#readTexts(value);
    return text;
  }

  /** The result of a statement of one value: whole, or the texts between its row separators; empty when it has no rows. */
  async #readTexts(value: Sql): Promise<readonly string[]> {
    return (await this.#readValue(value)).texts;
  }

  /**
   * The same, beside the version of the statement's snapshot.
   * @throws AnswerTooLargeError when the operation has read too much, over all of its statements
   */
  async #readValue(value: Sql): Promise<{ readonly version: string; readonly texts: readonly string[] }> {
    if (this.#bytes > maximumAnswerBytes) throw this.#tooLarge();
    this.#turns.check();
    const rows = await this.#source.database.readRows(
      toRowsIfLong(dataVersionOf(this.#shop), value),
      this.#cancellation,
      { shopId: this.#at.shopId, dataVersions: [this.#at.dataVersion] },
    );
    const [[version] = []] = rows as unknown as readonly [string][];
    const texts = rows.flatMap(([, text]) => text ?? []);
    this.#versions.add(version as string);
    this.#countBytes(texts);
    return { version: version as string, texts };
  }

  /** @throws AnswerTooLargeError */
  #countBytes(texts: readonly string[]): void {
    let bytes = 0;
    for (const text of texts) bytes += text.length;
    this.#bytes += bytes;
    if (this.#bytes > maximumAnswerBytes) throw this.#tooLarge();
    this.#memory?.hold(bytes);
    this.#turns.check();
  }

  /** Nothing more is read for the operation. */
  #tooLarge(): AnswerTooLargeError {
    this.#bytes = Infinity;
    return new AnswerTooLargeError();
  }
}

/** What a key did on one day. */
export interface KeyUsageRow {
  readonly day: string;
  readonly keyPrefix: string;
  /** Without the prefix. */
  readonly clientId: string;
  readonly keyName: string | null;
  readonly requests: number;
  readonly rateLimited: number;
  readonly errors: number;
  readonly bytes: number;
  readonly cost: number;
}

/** A hundred keys for a year are five megabytes. */
const mostUsageRows = 20_000;

const toKeyUsage = (shop: Sql, days: number): Sql => sql`
  (SELECT coalesce(json_agg(json_build_object(
            'day', u.day, 'keyPrefix', k.key_prefix, 'clientId', u.client_id, 'keyName', k.name, 'requests', u.requests,
            'rateLimited', u.rate_limited, 'errors', u.errors, 'bytes', u.bytes, 'cost', u.cost)), '[]')::text
     FROM (SELECT * FROM key_usage AS u
            WHERE u.shop_id = ${shop} AND u.day > (now() AT TIME ZONE 'UTC')::date - ${days}::integer
            ORDER BY u.day DESC, u.client_id LIMIT ${mostUsageRows}::integer) AS u
     JOIN api_keys AS k ON k.shop_id = ${shop} AND k.client_id = u.client_id)`;

/** The result of one statement about the change feed. */
interface ChangesRead {
  readonly version: bigint;
  readonly history: HistoryAnswer;
  readonly entries: readonly ChangeEntry[];
  /** Whether further entries of the section have no room in the answer. */
  readonly isShortened: boolean;
}

/** Never in a JSON text, like the separators of columns and rows. */
const partSeparator = '\x1d';

/** The external_id of a deleted object may contain what its row must not show (D25). */
function toChangeEntry([entry = '', node = '']: OutputRow): ChangeEntry {
  const [kind, id, externalId, version] = JSON.parse(entry) as [number, string, string, string];
  const type = objectTypes[kind - 1] as ChangeEntry['type'];
  const { table } = factsOf[type];
  const redaction = redactionOf(table);
  const [row = null] = node === 'null' ? [] : toObjects<ShopRow>(redaction, shopTables[table].columns, [[node]]);
  const shown = redaction?.isNeeded(entry) ? redactRow(redaction, { id, externalId }).externalId : externalId;
  return { type, id, externalId: shown, version, row };
}

/** @param outputs JSON texts, never null */
function toRowsAsText(outputs: readonly string[], toStatement: (outputs: Sql) => Sql): RowsAsText {
  const columns = outputs.map((_, index) => `output_${index}`);
  const named = rawSql(outputs.map((output, index) => `${output} AS ${columns[index]}`).join(', '));
  return { rows: toStatement(named), columns };
}

const splitRows = (texts: readonly string[]): readonly string[] =>
  texts.length === 1 ? (texts[0] as string).split(rowSeparator) : texts;

const splitColumns = ({ columns }: RowsAsText, rows: readonly string[]): readonly OutputRow[] =>
  columns.length === 1 ? rows.map((output) => [output]) : rows.map((each) => each.split(columnSeparator));

const toOutputRows = (of: RowsAsText, texts: readonly string[]): readonly OutputRow[] =>
  splitColumns(of, splitRows(texts));

/** The rows of a page, which an empty one may end. */
function toSection(of: RowsAsText, texts: readonly string[]): KeysetSection<OutputRow> {
  const rows = splitRows(texts);
  const isCut = isShortened(rows);
  return { items: splitColumns(of, isCut ? rows.slice(0, -1) : rows), isShortened: isCut };
}

/** The position columns of a row in its list. When the answer contains them, they are read from it. */
function findPlace(projection: Projection, sortMember: string): { columns: Projection; isShown: boolean } {
  const members = [sortMember, 'id'];
  const shown = members.map((member) => projection.find((column) => column.member === member));
  return isComplete(shown)
    ? { columns: shown, isShown: true }
    : { columns: members.map((member) => ({ name: member, member })), isShown: false };
}

/** All rows in one text: that is parsed faster than each separately. */
const joinRows = (rows: readonly OutputRow[]): string => `[${rows.map(([json]) => json).join(',')}]`;

function toObjects<Row extends ShopRow>(
  redaction: Redaction | undefined,
  columns: Readonly<Record<string, string>>,
  rows: readonly OutputRow[],
): readonly Row[] {
  const members = Object.keys(columns);
  const text = joinRows(rows);
  const objects = (JSON.parse(text) as unknown[][]).map((values) => toRow<Row>(members, values));
  return redaction?.isNeeded(text) ? objects.map((row) => redactRow(redaction, row)) : objects;
}

const redactionOf = (table: ShopTableName): Redaction | undefined => (shopTables[table] as ShopTable).redaction;

function toRow<Row>(members: readonly string[], values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < members.length; index += 1) row[members[index] as string] = values[index];
  return row as Row;
}

type RestObject = Readonly<Record<string, unknown>>;

/** @param row The members of the row beside those of that form. */
function toRestRow<Table extends ShopTableName>(
  table: Table,
  object: RestObject,
  row: Record<string, unknown> = {},
): RowOf<Table> {
  for (const { name, member } of restForm(table)) row[member] = object[name];
  return row as RowOf<Table>;
}

/** The members by which lists are sorted are text or numbers. */
const toSortText = (value: unknown): string | null =>
  value === null ? null : typeof value === 'number' ? String(value) : (value as string);
