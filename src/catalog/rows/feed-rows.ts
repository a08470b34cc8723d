import type { Sql } from '../../database/sql';
import { sql, rawSql, joinSql } from '../../database/sql';
import type { ObjectType } from './shop-tables';
import { factsOf, shopTables, toJsonArray, objectTypes } from './shop-tables';
import { and, byId, whereVisible, ofShop, dataVersionOf } from './page-statement';
import { isTooLarge, toPageText, toShortenedText } from './page-statement';
import type { OutputRow, ShopRow, ShopStatements } from './shop-statements';
import { redactionOf, toObjects, toSection } from './shop-statements';

/** A position in the change feed. */
export interface PositionInFeed {
  readonly version: bigint;
  /** 1 to 4 is within the version, `behindVersion` after all of it. */
  readonly kind: number;
  readonly id: string;
}

/** An entry of the feed, and its object if there is one. */
export interface ChangeEntry {
  readonly type: ObjectType;
  readonly id: string;
  readonly version: string;
  readonly row: { readonly id: string; readonly externalId?: unknown } | null;
}

/** A section of a shop's change feed. */
interface ChangeSection {
  readonly types: readonly ObjectType[];
  readonly after: PositionInFeed;
  readonly limit: number;
}

/** The columns of the statement below. */
const changeColumns = ['entry', 'node'] as const;

/**
 * The changes after a position, each with the latest state of its object, or `null` if readers cannot see it. Each type
 * is read through its own part of the index, then the objects of the page are looked up: the cost of a page does not
 * depend on how much has changed. The entry of an object that readers cannot see has only its id: they may never have
 * seen it.
 */
function toChangesStatement(shop: Sql, { types, after, limit }: ChangeSection): Sql {
  const sections = types.map((type) => {
    const { kind } = factsOf[type];
    return sql`(
      SELECT c.version, c.kind, c.id FROM changes AS c
       WHERE c.shop_id = ${shop} AND c.kind = ${kind}::smallint AND (c.version, c.id) > ${toStart(after, kind)}
       ORDER BY c.version, c.id LIMIT ${limit}::integer)`;
  });
  return sql`
    WITH page AS MATERIALIZED (
      SELECT * FROM (${joinSql(sections, ' UNION ALL ')}) AS c ORDER BY version, kind, id LIMIT ${limit}::integer
    )
    SELECT json_build_array(c.kind, c.id, c.version::text)::text AS entry,
           coalesce(found.node, 'null') AS node
      FROM page AS c
      LEFT JOIN LATERAL (${joinSql(
        types.map((type) => toLookUp(shop, type)),
        ' UNION ALL ',
      )}) AS found ON true
     ORDER BY c.version, c.kind, c.id`;
}

/** Where the part of one type begins: after all of the position's version, before it, or within it. */
function toStart({ version, kind: kindOfPosition, id }: ChangeSection['after'], kind: number): Sql {
  const passed = kind < kindOfPosition ? version : version - 1n;
  return kind === kindOfPosition
    ? sql`(${String(version)}::bigint, ${id}::uuid)`
    : sql`(${String(passed)}::bigint, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)`;
}

/**
 * The object of an entry of one type; nothing is looked up for other types. A variant is visible when its product is
 * (D8).
 */
function toLookUp(shop: Sql, type: ObjectType): Sql {
  const { kind, table } = factsOf[type];
  const { columns, exists } = shopTables[table];
  const seen = and([exists, ...whereVisible(table, shop)]);
  const seenProduct = sql`EXISTS (
    SELECT FROM (SELECT item.product_id) AS own
     CROSS JOIN LATERAL (
           SELECT FROM products AS item
            WHERE ${and([ofShop('products', shop), byId, ...whereVisible('products', shop)])} AND item.id = own.product_id) AS product)`;
  return sql`
    SELECT CASE WHEN ${type === 'VARIANT' ? seenProduct : seen} THEN ${rawSql(toJsonArray(columns))}::text END AS node
      FROM ${rawSql(table)} AS item
     WHERE c.kind = ${kind}::smallint AND item.shop_id = ${shop} AND item.id = c.id AND ${byId}`;
}

/** The result of `toHistory`. */
export type HistoryAnswer = readonly [
  epoch: string | null,
  hasWitness: boolean | null,
  asked: string | null,
  wentOnFrom: string | null,
  run: string | null,
];

/**
 * The shop's history as one JSON text: its epoch; whether nothing can have been lost since it began (a standby cannot
 * determine this and reports yes); for the requested epoch, the version after which it began, and the version from
 * which the next one continued; and the run of the server, which a standby does not know.
 */
export const toHistory = (shop: Sql, epoch: string | null): Sql => sql`
  (SELECT json_build_array(latest.epoch, catalog_is_witnessed(${shop}, latest.epoch), asked.after_version::text,
            (SELECT min(e.after_version)::text FROM change_epochs AS e WHERE e.shop_id = ${shop} AND e.after_version > asked.after_version),
            catalog_run(${shop}))::text
     FROM (SELECT) AS one
     LEFT JOIN (SELECT e.epoch FROM change_epochs AS e
                 WHERE e.shop_id = ${shop} ORDER BY e.after_version DESC LIMIT 1) AS latest ON true
     LEFT JOIN (SELECT e.after_version FROM change_epochs AS e
                 WHERE e.shop_id = ${shop} AND e.epoch = ${epoch}::uuid LIMIT 1) AS asked ON true)`;

/** The change feed of one shop. */
export class FeedRows {
  constructor(private readonly statements: ShopStatements) {}

  /** Whether the shop's data had this version when the caller was authenticated. */
  isAtVersion(dataVersion: string): boolean {
    return this.statements.isAtVersion(dataVersion);
  }

  /**
   * A section of the change feed, the shop's history with the requested epoch, and the version, all from one snapshot.
   */
  async changes(section: ChangeSection, epoch: string | null): Promise<ChangesRead> {
    const rows = { rows: toChangesStatement(this.statements.shop, section), columns: changeColumns };
    const read = async (page: Sql) => {
      const value = sql`SELECT ${toHistory(this.statements.shop, epoch)} UNION ALL (${page})`;
      const { version, texts } = await this.statements.readValue(value);
      const [history = '', ...found] = texts;
      return { version, history, texts: found };
    };
    let page = await read(toPageText(rows, this.statements.pageBytes, section.limit));
    if (isTooLarge(page.texts)) {
      this.statements.release(page.texts);
      page = await read(toShortenedText(rows, this.statements.pageBytes));
    }
    if (page.texts[0] === '') throw this.statements.tooLarge();
    const { items, isShortened } = toSection(rows, page.texts);
    return {
      version: BigInt(page.version),
      history: JSON.parse(page.history) as HistoryAnswer,
      entries: await this.statements.convertInPieces(items, (some) => some.map(toChangeEntry), redactionOf('orders')),
      isShortened,
    };
  }

  /** The shop's history on the primary, which a replica may not have yet. */
  async primaryHistory(epoch: string | null): Promise<Omit<ChangesRead, 'entries' | 'isShortened'>> {
    const statement = sql`SELECT ${dataVersionOf(this.statements.shop)}, ${toHistory(this.statements.shop, epoch)}`;
    const [version, history] = (await this.statements.readPrimary(statement)) as [string, string];
    return { version: BigInt(version), history: JSON.parse(history) as HistoryAnswer };
  }
}

/** The result of one statement about the change feed. */
interface ChangesRead {
  readonly version: bigint;
  readonly history: HistoryAnswer;
  readonly entries: readonly ChangeEntry[];
  /** Whether further entries of the section do not fit in the response. */
  readonly isShortened: boolean;
}

function toChangeEntry([entry = '', node = '']: OutputRow): ChangeEntry {
  const [kind, id, version] = JSON.parse(entry) as [number, string, string];
  const type = objectTypes[kind - 1] as ChangeEntry['type'];
  const { table } = factsOf[type];
  const [row = null] =
    node === 'null' ? [] : toObjects<ShopRow>(redactionOf(table), shopTables[table].columns, [[node]]);
  return { type, id, version, row };
}
