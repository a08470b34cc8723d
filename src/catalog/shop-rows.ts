import type { Database, ShopVersion } from '../database/database';
import { Prisma } from '../database/generated/client';
import type { StatementAsker } from '../database/statement-asker';
import type { KeysetList, KeysetRange } from '../relay/position';
import { never } from './condition';
import { and, dataVersionOf, isLookedUp, isVisible, ofShop, toCountStatement, toPageStatement } from './page-statement';
import type { ProductRead } from './product-read';
import type { FinishedRow, Projection } from './projection';
import { isComplete } from './projection';
import { restForm, toJsonArray, toJsonObject } from './row-json';
import type { ShopList } from './shop-list';
import type { ShopTableName } from './shop-tables';
import { shopTables } from './shop-tables';
import { VersionsRead } from './versions-read';

/** What every row has, whatever its table. */
export interface ShopRow {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** A list of rows, whose pages can also be had in the form they leave in. */
export interface RowList<Row> extends KeysetList<Row> {
  finished(projection: Projection): KeysetList<FinishedRow>;
}

/** Where the rows of all shops come from. */
export interface RowSource {
  readonly database: Database;
  readonly readProduct: ProductRead;
}

/**
 * The rows of one shop: the only way from the resolvers to the database. The shop is given once, when a request's
 * principal is known, and stands in every statement made here; a reader has no means to leave it out or to name another.
 *
 * A row comes as one JSON text: few large values pass through the driver far faster than many small ones, and decimals
 * and timestamps leave PostgreSQL in their final form (D21, D23).
 */
export class ShopRows {
  readonly #source: RowSource;
  readonly #at: ShopVersion;
  readonly #shop: Prisma.Sql;
  readonly #asker: StatementAsker | undefined;
  readonly #versions: VersionsRead;

  /** @param versions Collects the version of each statement's snapshot. */
  constructor(source: RowSource, at: ShopVersion, asker?: StatementAsker, versions = new VersionsRead()) {
    this.#source = source;
    this.#at = at;
    this.#shop = Prisma.sql`${at.shopId}::uuid`;
    this.#asker = asker;
    this.#versions = versions;
  }

  /** A list of rows that pages can be read from. */
  list<Row extends ShopRow>(table: ShopTableName, list: ShopList): RowList<Row> {
    const { sort } = list;
    const columns = {
      ...shopTables[table].columns,
      ...(sort.isExtra ? { [sort.member]: `t.${sort.column}` } : {}),
    } as Readonly<Record<string, string>>;
    const count = () => this.#count(table, list);
    return {
      count,
      positionOf: (row) => [toSortText(row[sort.member]), row.id],
      read: async (range) => {
        const rows = await this.#page(table, list, range, [`${toJsonArray(columns)}::text`]);
        return toObjects<Row>(columns, rows);
      },
      finished: (projection) => {
        const place = findPlace(projection, sort.member);
        const outputs = [projection, ...(place.isShown ? [] : [place.columns])].map((shown) =>
          toJsonObject(table, shown, columns),
        );
        return {
          count,
          positionOf: ({ at }) => {
            const row = JSON.parse(at) as Record<string, unknown>;
            const [value, id] = place.columns.map(({ name }) => toSortText(row[name])) as [string | null, string];
            return [value, id];
          },
          read: async (range) => {
            const rows = await this.#page(table, list, range, outputs);
            return rows.map(([json, at = json]) => ({ json, at }) as FinishedRow);
          },
        };
      },
    };
  }

  /** Rows with one of the ids, in no particular order. */
  async byIds<Row>(table: ShopTableName, ids: readonly string[]): Promise<readonly Row[]> {
    const { name, columns } = shopTables[table];
    const conditions = and([ofShop(table, this.#shop), isLookedUp, ...isVisible(table, this.#shop)]);
    // One by one, because only so each is found by its key whatever the planner thinks of the array.
    const rows = await this.#read(
      [`${toJsonArray(columns)}::text`],
      (outputs) => Prisma.sql`
        SELECT found.* FROM unnest(${ids}::uuid[]) AS asked (id)
         CROSS JOIN LATERAL (
               SELECT ${outputs} FROM ${Prisma.raw(name)} AS t WHERE ${conditions} AND t.id = asked.id OFFSET 0) AS found`,
    );
    return toObjects<Row>(columns, rows);
  }

  /** The variants of each of the products in their order (D9). */
  async variantsOf<Row>(productIds: readonly string[]): Promise<readonly Row[]> {
    const { name, columns } = shopTables.variants;
    // Product by product, because only so their order is that of an index on PostgreSQL 16 and before (docs/decisions.md 54).
    const rows = await this.#read(
      [`${toJsonArray(columns)}::text`],
      (outputs) => Prisma.sql`
        SELECT variant.* FROM unnest(${productIds}::uuid[]) AS asked (id)
         CROSS JOIN LATERAL (
               SELECT ${outputs} FROM ${Prisma.raw(name)} AS t
                WHERE ${ofShop('variants', this.#shop)} AND t.product_id = asked.id
                ORDER BY t.position, t.id) AS variant`,
    );
    return toObjects<Row>(columns, rows);
  }

  /** A product and its variants in their order (D9) as the REST API shows them, as JSON text; null when there is none. */
  async finishedProduct(id: string): Promise<string | null> {
    const { dataVersion, json } = await this.#source.readProduct({ ...this.#at, id });
    this.#versions.add(dataVersion);
    return json;
  }

  /** The same as rows. */
  async productWithVariants<Product, Variant>(
    id: string,
  ): Promise<{ readonly product: Product; readonly variants: readonly Variant[] } | null> {
    const text = await this.finishedProduct(id);
    if (text === null) return null;
    const { variants, ...product } = JSON.parse(text) as RestObject & { readonly variants: readonly RestObject[] };
    return {
      product: toRestRow<Product>('products', product),
      variants: variants.map((variant) => toRestRow<Variant>('variants', variant, { productId: product['id'] })),
    };
  }

  async #page(
    table: ShopTableName,
    list: ShopList,
    range: KeysetRange,
    outputs: readonly string[],
  ): Promise<readonly OutputRow[]> {
    if (list.where.includes(never)) return [];
    const rows = await this.#read(outputs, (named) =>
      toPageStatement({ shop: this.#shop, table, list, range, outputs: named }),
    );
    return range.backwards ? rows.toReversed() : rows;
  }

  async #count(table: ShopTableName, list: ShopList): Promise<number> {
    if (list.where.includes(never)) return 0;
    return Number(await this.#readText(toCountStatement({ shop: this.#shop, table, list })));
  }

  /**
   * Rows of a statement, each as the outputs that were asked for. They come as one value: a value costs the driver more than
   * what is in it. The signs between outputs and rows stand in no JSON text, which writes control characters otherwise.
   * @param outputs JSON texts, never null
   */
  async #read(
    outputs: readonly string[],
    toStatement: (outputs: Prisma.Sql) => Prisma.Sql,
  ): Promise<readonly OutputRow[]> {
    const names = outputs.map((_, index) => `output_${index}`);
    const statement = toStatement(
      Prisma.raw(outputs.map((output, index) => `${output} AS ${names[index]}`).join(', ')),
    );
    const text = await this.#readText(
      Prisma.sql`SELECT string_agg(${Prisma.raw(names.join(` || E'\\x1f' || `))}, E'\\x1e') FROM (${statement}) AS found`,
    );
    if (text === null) return [];
    const rows = text.split('\x1e');
    return names.length === 1 ? rows.map((output) => [output]) : rows.map((each) => each.split('\x1f'));
  }

  /** What a statement of one value answers, beside the version of the snapshot that it was read from. */
  async #readText(value: Prisma.Sql): Promise<string | null> {
    const [row] = await this.#source.database.readRows(
      Prisma.sql`SELECT ${dataVersionOf(this.#shop)}, (${value})`,
      this.#asker,
      [this.#at],
    );
    const [version, text] = row as unknown as [string, string | null];
    this.#versions.add(version);
    return text;
  }
}

/** A row as the JSON texts that were asked for. */
type OutputRow = readonly string[];

/** The columns that say where a row stands in its list. When the answer shows them, it says so itself. */
function findPlace(projection: Projection, sortMember: string): { columns: Projection; isShown: boolean } {
  const members = [sortMember, 'id'];
  const shown = members.map((member) => projection.find((column) => column.member === member));
  return isComplete(shown)
    ? { columns: shown, isShown: true }
    : { columns: members.map((member) => ({ name: member, member })), isShown: false };
}

/** All rows in one text: that is parsed faster than one after the other. */
function toObjects<Row>(columns: Readonly<Record<string, string>>, rows: readonly OutputRow[]): readonly Row[] {
  const members = Object.keys(columns);
  const arrays = JSON.parse(`[${rows.map(([array]) => array).join(',')}]`) as unknown[][];
  return arrays.map((values) => toRow<Row>(members, values));
}

function toRow<Row>(members: readonly string[], values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < members.length; index += 1) row[members[index] as string] = values[index];
  return row as Row;
}

type RestObject = Readonly<Record<string, unknown>>;

/** @param row What the row holds beside the members of that form. */
function toRestRow<Row>(table: ShopTableName, object: RestObject, row: Record<string, unknown> = {}): Row {
  for (const { name, member } of restForm(table)) row[member] = object[name];
  return row as Row;
}

/** The members that lists are sorted by are text or numbers. */
const toSortText = (value: unknown): string | null =>
  value === null ? null : typeof value === 'number' ? String(value) : (value as string);
