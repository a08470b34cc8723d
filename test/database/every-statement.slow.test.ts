import { buildSchema, isInputObjectType } from 'graphql';
import type { Client } from 'pg';
import { scanLength } from '../../src/catalog/rows/page-statement';
import { readTypeDefinitions } from '../../src/graph/schema';
import { seedShop } from '../support/seed';
import { useTestDatabase } from '../support/test-database';
import type { NamedStatement } from './every-statement';
import { everyStatement, membersTried } from './every-statement';
import type { PlanNode } from './explain';
import { copySettings, explain, nodesOf, rowsOf, rowsSeenBy, seqScansOf, sortsOf } from './explain';
import { seedLargeShop } from './large-shop';

/**
 * Trying all forms takes minutes (`npm run plans`). By default, each condition is tried in some orders and directions,
 * in rotation.
 */
const share = process.env['EVERY_STATEMENT'] === 'all' ? 1 : 61;

/**
 * Members without an index: a list filtered only by these is read to its end when no row matches (docs/decisions.md
 * 26).
 */
const readToTheEnd: Readonly<Record<string, readonly string[]>> = {
  orders: ['currency', 'tag', 'tagsAll', 'tagsAny'],
  collections: ['collectionType'],
};

it.each([
  ['ProductFilter', 'products'],
  ['VariantFilter', 'variants'],
  ['OrderFilter', 'orders'],
  ['CollectionFilter', 'collections'],
])('each member of %s has a condition in every-statement.ts, or is known to have no index', (name, table) => {
  const type = buildSchema(readTypeDefinitions()).getType(name);
  const members = isInputObjectType(type) ? Object.keys(type.getFields()) : [];
  const known = [...(membersTried[table] ?? []), ...(readToTheEnd[table] ?? [])];
  expect(known.sort()).toEqual(members.sort());
});

/**
 * The rows that a step of a plan reads from a table or an index, including those it filters out. For a step that runs
 * several times, the total.
 */
const mostRowsSeen = (plan: PlanNode): number => Math.max(...nodesOf(plan).map(rowsSeenBy));

/**
 * A database with one shop has different statistics from one with many, and each statement keeps one plan for all shops
 * (decision 26).
 */
describe.each([
  ['alone in its database', 0],
  ['among 2,000 others', 2_000],
])('in a shop of 20,000 products %s', (_, others) => {
  const db = useTestDatabase();
  let client: Client;
  let statements: readonly NamedStatement[];
  const rowsMeeting = new Map<string, number>();
  const sizes: Record<string, number> = {};

  async function countRows(table: string, condition: string): Promise<number> {
    const live = table === 'products' ? 'deleted_at IS NULL' : 'true';
    const sql = `SELECT count(*)::integer AS n FROM ${table} WHERE shop_id = $1 AND ${live} AND (${condition})`;
    const known = rowsMeeting.get(sql) ?? (await db.sql<{ n: number }>(sql, [shopId]))[0]?.n ?? 0;
    rowsMeeting.set(sql, known);
    return known;
  }

  let shopId: string;
  beforeAll(async () => {
    client = await db.connect();
    shopId = await seedShop(db.sql);
    await seedLargeShop(client, shopId, { products: 20_000, others });
    await client.query('RESET ALL');
    await client.query(
      'VACUUM ANALYZE products, variants, collections, orders, product_tags, collection_products, product_terms, changes, order_figures, shops, api_keys',
    );
    await copySettings(db.database, client);
    const ids = await db.sql<{ id: string }>(
      'SELECT id FROM products WHERE shop_id = $1 AND deleted_at IS NULL ORDER BY id LIMIT 50',
      [shopId],
    );
    statements = await everyStatement(
      shopId,
      ids.map(({ id }) => id),
      (form) => form % share === 0,
    );
    for (const table of ['products', 'variants', 'orders', 'collections'])
      sizes[table] = await countRows(table, 'true');
  });

  /**
   * The rows that a statement may read: its page, the matches of its rarest condition, or the length of a scan; for
   * lookups, the ids they list.
   */
  async function boundOf({ kind, table, conditions, isScan }: NamedStatement): Promise<number> {
    if (table === 'changes') return 4 * 51 + 1; // a page of each type, and the version
    if (kind === 'look-up') return 150;
    if (kind === 'page' && isScan) return 51 + 1; // and the version
    const matches = await Promise.all(conditions.map(({ sql }) => countRows(table, sql)));
    const rarest = Math.min(...matches);
    // Each row once, with up to two tags.
    if (kind === 'figures') return Math.max(50, 2 * rarest);
    // Products are found by SKU or barcode through variants, of which they have at most two, and by collection through
    // the collection's rows.
    const through = ['skuIn', 'barcodeIn', 'collectionIdIn'];
    const each = conditions.some(({ filter }) => through.some((name) => name in filter)) ? 2 : 1;
    return each * Math.max(scanLength + 1, 2 * rarest);
  }

  /** Only what is found outside of the order of a list is sorted, and what an answer consists of. */
  function mostSorted({ kind, name, statement }: NamedStatement): number {
    if (kind === 'look-up') return 150;
    const isFound = name.includes('RELEVANCE') || statement.text.includes(') AS positions ORDER BY');
    return kind === 'page' && !isFound ? 0 : Infinity;
  }

  it('no statement reads a whole table, or more rows than a scan may or twice those of its rarest condition, or sorts what an index orders; all indexes are used', async () => {
    const offenders: unknown[] = [];
    const usedIndexes = new Set<string | undefined>();
    for (const each of statements) {
      const plan = await explain(client, each.statement);
      for (const node of nodesOf(plan)) usedIndexes.add(node['Index Name']);
      const most = mostRowsSeen(plan);
      const bound = await boundOf(each);
      const scans = seqScansOf(plan);
      const sorted = Math.max(0, ...sortsOf(plan).map(rowsOf));
      if (most > bound || scans.length > 0 || sorted > mostSorted(each))
        offenders.push({ name: each.name, most, bound, scans, sorted });
    }
    expect(offenders).toEqual([]);
    expect(statements.length).toBeGreaterThan(200);
    // An index that no statement uses only costs writers.
    const indexes = await db.sql<{ name: string }>(
      `SELECT indexrelid::regclass::text AS name FROM pg_index
        WHERE indrelid = ANY ('{products, variants, collections, orders}'::regclass[]) AND NOT indisunique`,
    );
    expect(indexes.map(({ name }) => name).filter((name) => !usedIndexes.has(name))).toEqual([]);
  });
});
