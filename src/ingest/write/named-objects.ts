import { maskAddresses } from '../../privacy/addresses';
import type { ContentChanges, Removal } from './import-report';
import type { RecordKind } from '../formats/record';
import { compareTables, type Query } from './import-transaction';
import { changesOfGone } from './upsert-products';

const maxExamples = 5;

/** The display name of an object. */
const names: Readonly<Record<RecordKind, string>> = {
  product: `stored.title || ' (' || stored.external_id || ')'`,
  collection: `stored.title || ' (' || stored.external_id || ')'`,
  order: 'stored.order_number',
};

/** The objects that the files contain, kept in the database so that `--replace` takes no memory here. */
export class NamedObjects {
  private constructor(
    private readonly query: Query,
    private readonly shopId: string,
    private readonly before: Readonly<Record<RecordKind, number>>,
  ) {}

  static async create(query: Query, shopId: string): Promise<NamedObjects> {
    await query(
      'CREATE TEMPORARY TABLE import_named (kind text, external_id text, PRIMARY KEY (kind, external_id)) ON COMMIT DROP',
    );
    const { rows } = await query<Record<RecordKind, number>>(
      `SELECT (SELECT count(*)::integer FROM products WHERE shop_id = $1 AND deleted_at IS NULL) AS product,
              (SELECT count(*)::integer FROM collections WHERE shop_id = $1) AS collection,
              (SELECT count(*)::integer FROM orders WHERE shop_id = $1) AS "order"`,
      [shopId],
    );
    return new NamedObjects(query, shopId, rows[0] as Record<RecordKind, number>);
  }

  async add(kind: RecordKind, externalIds: readonly string[]): Promise<void> {
    await this.query('INSERT INTO import_named SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING', [
      kind,
      externalIds,
    ]);
  }

  /** The objects that no file contains. */
  async findOthers(kind: RecordKind): Promise<Removal> {
    // Here whole tables are compared, once.
    await this.query(compareTables);
    await this.query('ANALYZE import_named');
    const { rows } = await this.query<{ count: number; examples: string[] | null }>(
      `SELECT count(*)::integer AS count, (array_agg(${names[kind]} ORDER BY stored.external_id))[1:${maxExamples}] AS examples
         FROM ${kind}s AS stored WHERE ${others(kind)}`,
      [this.shopId],
    );
    const { count = 0, examples } = rows[0] ?? {};
    return { kind, count, of: this.before[kind], examples: (examples ?? []).map((text) => maskAddresses(text)) };
  }

  /** Removes from the shop what no file contains: products by soft deletion, the others permanently. */
  async removeOthers(kind: RecordKind, now: string): Promise<ContentChanges | undefined> {
    if (kind !== 'product') {
      await this.query(`DELETE FROM ${kind}s AS stored WHERE ${others(kind)}`, [this.shopId]);
      return undefined;
    }
    const { rows } = await this.query<ContentChanges>(
      `WITH gone AS (UPDATE products AS stored SET deleted_at = $2::timestamptz WHERE ${others(kind)}
         RETURNING stored.total_stock, stored.image_url, stored.description_html)
       ${changesOfGone('gone')}`,
      [this.shopId, now],
    );
    return rows[0];
  }
}

const others = (kind: RecordKind): string => `shop_id = $1 AND NOT EXISTS (
  SELECT FROM import_named AS named WHERE named.kind = '${kind}' AND named.external_id = stored.external_id)
  ${kind === 'product' ? 'AND stored.deleted_at IS NULL' : ''}`;
