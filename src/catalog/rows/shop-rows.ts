import type { ShopVersion } from '../../database/database';
import type { Sql } from '../../database/sql';
import { emptySql, fence, rawSql, sql } from '../../database/sql';
import type { KeysetList, KeysetRange, KeysetSection } from '../../relay/connection';
import type { RowsAsText } from './page-statement';
import { isTooLarge, toPageText, toShortenedText } from './page-statement';
import { keptCharacters } from '../../database/sql-constants';
import { cutText, noRow, onlyStorable } from './shop-list';
import { FeedRows } from './feed-rows';
import { FigureRows } from './figure-rows';
import type { LargeProduct } from './large-product';
import type { Page } from './page-statement';
import {
  and,
  ofShop,
  toCountStatement,
  toPageStatement,
  byId,
  whereVisible,
  toMemberCount,
  toMemberRange,
  toPagesOf,
  toVariantRange,
} from './page-statement';
import type { Projection, RawRow, RowOf, ShopTableName } from './shop-tables';
import { toRowForm } from './row-form';
import { isComplete, isNested, shopTables, toJsonArray, toJsonObject } from './shop-tables';
import { redactJson } from './redaction';
import { toRankedStatement } from './ranked-statement';
import type { OutputRow, RowSource, ShopRow, StatementOptions } from './shop-statements';
import type { ShopList } from './shop-list';
import { redactionOf, ShopStatements, toObjects, toRowsAsText, toSection } from './shop-statements';

/** PostgreSQL cannot write a page of this projection; resolvers still can. */
export class UnwrittenError extends Error {}

/** A list of rows, whose pages are also available as JSON texts that PostgreSQL wrote. */
export interface RowList<Row> extends KeysetList<Row> {
  raw(projection: Projection): KeysetList<RawRow>;
}

/** Sections of the rows of several owners, by the owner's id. */
type PagesOf<Row> = ReadonlyMap<string, KeysetSection<Row>>;

/** A product in a collection. */
export type MemberRow = RowOf<'products'> & { readonly collectionId: string; readonly place: number };

/** The output of a statement that only asks whether there is a row. */
const anything = sql`'1' AS found`;

/**
 * The rows of one shop: the only access of the resolvers to the database. The shop is set once, when a request's
 * principal is known, and is part of every statement made here; a reader cannot omit it or set another. A row is read
 * as one JSON text: the driver handles few large values far faster than many small ones, and decimals and timestamps
 * leave PostgreSQL in their final form (D21, D23). Everything in a row that must never be returned is removed here
 * (D25): no response has rows from elsewhere.
 */
export class ShopRows {
  readonly #statements: ShopStatements;

  constructor(source: RowSource, at: ShopVersion, options?: StatementOptions) {
    this.#statements = new ShopStatements(source, at, options);
  }

  /** The shop's id in SQL, for conditions of a list that read another table. */
  get shop(): Sql {
    return this.#statements.shop;
  }

  get feed(): FeedRows {
    return new FeedRows(this.#statements);
  }

  get figures(): FigureRows {
    return new FigureRows(this.#statements);
  }

  /** A list of rows from which pages can be read. */
  list<Table extends ShopTableName>(table: Table, list: ShopList): RowList<RowOf<Table>> {
    const { sort } = list;
    const columns = {
      ...shopTables[table].columns,
      ...(sort.isExtra ? { [sort.member]: `item.${sort.column}` } : {}),
    } as Readonly<Record<string, string>>;
    const count = () => this.#count(table, list);
    const hasAny = (range: KeysetRange) => this.#hasAny(table, list, range);
    const read = async (range: KeysetRange) => {
      const asked = this.#toPage(table, list, range, [`${toJsonArray(columns)}::text`]);
      const page = await this.#page(asked, list, range);
      return { ...page, items: await this.#toObjects<RowOf<Table>>(table, columns, page.items) };
    };
    return {
      count,
      hasAny,
      positionOf: (row: ShopRow) => [toSortText(row[sort.member]), row.id],
      read,
      raw: (projection) => {
        const position = findPosition(projection, sort.member);
        const idName = position.columns.at(-1)?.name as string;
        const { outputs, toJson } = toRowForm(table, projection, this.shop);
        const at = position.isSelected ? [] : [toJsonObject(table, position.columns, columns)];
        return {
          count,
          hasAny,
          positionOf: ({ at }) => {
            const row = JSON.parse(at) as Record<string, unknown>;
            const [value, id] = position.columns.map(({ name }) => toSortText(row[name])) as [string | null, string];
            return [value, id];
          },
          read: async (range) => {
            const asked = this.#toPage(table, list, range, [...outputs, ...at]);
            const { pageBytes } = this.#statements;
            const page = isNested(projection)
              ? await this.#readWhole(asked, list, range, toShortenedText(asked, pageBytes, pageBytes))
              : await this.#page(asked, list, range);
            if (page === undefined) throw new UnwrittenError('A product has too many variants to be written as JSON.');
            const redaction = redactionOf(table);
            const toRawRow = (texts: OutputRow): RawRow => {
              const json = toJson(texts);
              const at = texts[outputs.length] ?? json;
              if (redaction?.isNeeded(json) !== true) return { json, at };
              const { [idName]: id } = JSON.parse(at) as Record<string, string>;
              return { json: redactJson(redaction, json, projection, id as string), at };
            };
            return {
              ...page,
              items: await this.#statements.convertInPieces(page.items, (some) => some.map(toRawRow), redaction),
            };
          },
        };
      },
    };
  }

  /** Rows with one of the ids, in no particular order. */
  byIds<Table extends ShopTableName>(table: Table, ids: readonly string[]): Promise<readonly RowOf<Table>[]> {
    return this.#byKeys(table, sql`${ids}::uuid[]`, (asked) => sql`${byId} AND item.id = ${asked}`);
  }

  /** One row per external ID. If several variants share one, any of them. */
  byExternalIds<Table extends ShopTableName>(table: Table, ids: readonly string[]): Promise<readonly RowOf<Table>[]> {
    // Bounds, because an equality would make the order redundant, which only the right index has.
    return this.#byKeys(
      table,
      sql`${onlyStorable(ids)}::text[]`,
      (asked) => sql`item.external_id >= ${asked} AND item.external_id <= ${asked}`,
      sql`ORDER BY item.external_id LIMIT 1`,
    );
  }

  /** @param keys Product ID and external ID of each variant, concatenated */
  variantsByKeys(keys: readonly string[]): Promise<readonly RowOf<'variants'>[]> {
    return this.#byKeys(
      'variants',
      sql`${onlyStorable(keys)}::text[]`,
      (asked) => sql`item.product_id = left(${asked}, 36)::uuid AND item.external_id = substr(${asked}, 37)`,
    );
  }

  /** The first visible variant with each of the SKUs. */
  bySkus(skus: readonly string[]): Promise<readonly RowOf<'variants'>[]> {
    const cut = cutText('item.sku');
    const isOne = (asked: Sql) => sql`
      ${rawSql(cut)} >= left(${asked}, ${rawSql(String(keptCharacters))}) AND ${rawSql(cut)} <= left(${asked}, ${rawSql(String(keptCharacters))})
      AND item.sku = ${asked}`;
    return this.#byKeys('variants', sql`${onlyStorable(skus)}::text[]`, isOne, sql`ORDER BY ${rawSql(cut)} LIMIT 1`);
  }

  async #byKeys<Table extends ShopTableName>(
    table: Table,
    keys: Sql,
    isOne: (asked: Sql) => Sql,
    order: Sql = emptySql,
  ): Promise<readonly RowOf<Table>[]> {
    const { columns } = shopTables[table];
    const conditions = and([ofShop(table, this.shop), isOne(sql`asked.key`), ...whereVisible(table, this.shop)]);
    // One by one, so that each is found by its key whatever the planner estimates for the array. The fence keeps a row
    // from being serialized a second time for its size.
    const rows = toRowsAsText(
      [`${toJsonArray(columns)}::text`],
      (outputs) => sql`
        SELECT found.* FROM unnest(${keys}) AS asked (key)
         CROSS JOIN LATERAL (
               SELECT ${outputs} FROM ${rawSql(table)} AS item WHERE ${conditions} ${order} ${fence}) AS found`,
    );
    return this.#toObjects<RowOf<Table>>(table, columns, await this.#statements.readBounded(rows));
  }

  /** The variants of each of the products in their order (D9). */
  async variantsOf(productIds: readonly string[]): Promise<readonly RowOf<'variants'>[]> {
    const { columns } = shopTables.variants;
    // Product by product, because only then is their order that of an index on PostgreSQL 16 and before
    // (docs/decisions.md 35).
    const rows = toRowsAsText(
      [`${toJsonArray(columns)}::text`],
      (outputs) => sql`
        SELECT variant.* FROM unnest(${productIds}::uuid[]) AS asked (id)
         CROSS JOIN LATERAL (
               SELECT ${outputs} FROM variants AS item
                WHERE ${ofShop('variants', this.#statements.shop)} AND item.product_id = asked.id
                ORDER BY item.position, item.id ${fence}) AS variant`,
    );
    return this.#toObjects('variants', columns, await this.#statements.readBounded(rows));
  }

  /** The first variants of a range of each of the products, in their order (D9). */
  variantPagesOf(productIds: readonly string[], range: KeysetRange): Promise<PagesOf<RowOf<'variants'>>> {
    const { columns } = shopTables.variants;
    return this.#pagesOf('variants', columns, 'productId', productIds, range, (outputs) =>
      toVariantRange({ shop: this.shop, product: sql`asked.id`, range, outputs }),
    );
  }

  /** The first products of a range of each of the collections, in its order. */
  memberPagesOf(collectionIds: readonly string[], range: KeysetRange): Promise<PagesOf<MemberRow>> {
    const columns = { ...shopTables.products.columns, collectionId: 'asked.id', place: 'member.position' };
    return this.#pagesOf('products', columns, 'collectionId', collectionIds, range, (outputs) =>
      toMemberRange({ shop: this.shop, collection: sql`asked.id`, range, outputs }),
    );
  }

  /**
   * The owners have equal shares of a page.
   * @param owner The member of a row that has the owner's id.
   * @param range Its positions are those of rows of one owner.
   */
  async #pagesOf<Row extends ShopRow>(
    table: ShopTableName,
    columns: Readonly<Record<string, string>>,
    owner: keyof Row & string,
    owners: readonly string[],
    range: KeysetRange,
    toPage: (outputs: Sql) => Sql,
  ): Promise<PagesOf<Row>> {
    const most = Math.floor(this.#statements.pageBytes / owners.length);
    const rows = toRowsAsText([`${toJsonArray(columns)}::text`], (outputs) =>
      toPagesOf({ owners, page: toPage(outputs), most }),
    );
    const found = await this.#statements.readBounded(rows);
    const cut = new Set(found.flatMap(([json = '']) => (json.startsWith('[') ? [] : [json])));
    const whole = await this.#toObjects<Row>(
      table,
      columns,
      found.filter(([json = '']) => !cut.has(json)),
    );
    const pages = new Map(owners.map((id) => [id, { items: [] as Row[], isShortened: cut.has(id) }]));
    for (const row of range.backwards ? whole.toReversed() : whole) pages.get(row[owner] as string)?.items.push(row);
    return pages;
  }

  /** Whether a range of the variants of a product has any. */
  async hasVariants(productId: string, range: KeysetRange): Promise<boolean> {
    const of = { shop: this.shop, product: sql`${productId}::uuid`, range: { ...range, limit: 1 }, outputs: anything };
    return (await this.#statements.readText(toVariantRange(of))) !== null;
  }

  /** Whether a range of the products of a collection has any. */
  async hasMembers(id: string, range: KeysetRange): Promise<boolean> {
    const of = { shop: this.shop, collection: sql`${id}::uuid`, range: { ...range, limit: 1 }, outputs: anything };
    return (await this.#statements.readText(toMemberRange(of))) !== null;
  }

  async countMembers(id: string): Promise<number> {
    return Number(await this.#statements.readText(toMemberCount(this.shop, sql`${id}::uuid`)));
  }

  /**
   * A product and then its variants in their order (D9), each as the REST API shows it, as JSON text; empty when there
   * is none.
   * @throws ProductTooLargeError
   */
  rawProduct(id: string): Promise<readonly string[]> {
    return this.#statements.readProduct(id);
  }

  /** The same for a product that is too large for that, as a stream; null when there is none. */
  largeProduct(id: string): Promise<LargeProduct | null> {
    return this.#statements.openLargeProduct(id);
  }

  async #page(page: RowsAsText, list: ShopList, range: KeysetRange): Promise<KeysetSection<OutputRow>> {
    const whole = await this.#readWhole(page, list, range);
    if (whole !== undefined) return whole;
    const texts = await this.#statements.readTexts(toShortenedText(page, this.#statements.pageBytes));
    if (texts[0] === '') throw this.#statements.tooLarge();
    return inListOrder(range, toSection(page, texts));
  }

  #toPage(table: ShopTableName, list: ShopList, range: KeysetRange, outputs: readonly (string | Sql)[]): RowsAsText {
    return toRowsAsText(outputs, (named) =>
      toStatement({ shop: this.#statements.shop, table, list, range, outputs: named }),
    );
  }

  /** @returns undefined when a row is null or larger than its share of the page, or not all fit */
  async #readWhole(
    page: RowsAsText,
    list: ShopList,
    range: KeysetRange,
    statement = toPageText(page, this.#statements.pageBytes, range.limit),
  ): Promise<KeysetSection<OutputRow> | undefined> {
    if (list.where.includes(noRow)) return { items: [], isShortened: false };
    const texts = await this.#statements.readTexts(statement);
    if (!isTooLarge(texts)) return inListOrder(range, toSection(page, texts));
    this.#statements.release(texts);
    return undefined;
  }

  async #hasAny(table: ShopTableName, list: ShopList, range: KeysetRange): Promise<boolean> {
    if (list.where.includes(noRow)) return false;
    const statement = toStatement({ shop: this.shop, table, list, range: { ...range, limit: 1 }, outputs: anything });
    return (await this.#statements.readText(statement)) !== null;
  }

  /** Many rows yield to the event loop in between. */
  async #toObjects<Row extends ShopRow>(
    table: ShopTableName,
    columns: Readonly<Record<string, string>>,
    rows: readonly OutputRow[],
  ): Promise<readonly Row[]> {
    const redaction = redactionOf(table);
    return this.#statements.convertInPieces(rows, (some) => toObjects<Row>(redaction, columns, some), redaction);
  }

  async #count(table: ShopTableName, list: ShopList): Promise<number> {
    if (list.where.includes(noRow)) return 0;
    return Number(await this.#statements.readText(toCountStatement({ shop: this.#statements.shop, table, list })));
  }
}

const toStatement = (page: Page): Sql =>
  page.list.ranks ? toRankedStatement(page, page.list.ranks) : toPageStatement(page);

const inListOrder = ({ backwards }: KeysetRange, section: KeysetSection<OutputRow>): KeysetSection<OutputRow> =>
  backwards ? { ...section, items: section.items.toReversed() } : section;

/** The position columns of a row in its list. If the response contains them, they are read from it. */
function findPosition(projection: Projection, sortMember: string): { columns: Projection; isSelected: boolean } {
  const members = [sortMember, 'id'];
  const selected = members.map((member) => projection.find((column) => column.member === member));
  return isComplete(selected)
    ? { columns: selected, isSelected: true }
    : { columns: members.map((member) => ({ name: member, member })), isSelected: false };
}

/** The members by which lists are sorted are text or numbers. */
const toSortText = (value: unknown): string | null =>
  value === null ? null : typeof value === 'number' ? String(value) : (value as string);
