import type { RecordKind } from '../record';
import type { Query } from './import-transaction';

/** What the files name, kept in the database, so that `--replace` needs no memory of it here. */
export class NamedObjects {
  private constructor(private readonly query: Query) {}

  static async create(query: Query): Promise<NamedObjects> {
    await query(
      'CREATE TEMPORARY TABLE import_named (kind text, external_id text, PRIMARY KEY (kind, external_id)) ON COMMIT DROP',
      [],
    );
    return new NamedObjects(query);
  }

  async add(kind: RecordKind, externalIds: readonly string[]): Promise<void> {
    await this.query('INSERT INTO import_named SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING', [
      kind,
      externalIds,
    ]);
  }

  /** Takes out of the shop what no file named: products by soft deletion, the others for good. Answers how many. */
  async removeOthers(kind: RecordKind, shopId: string, now: string): Promise<number> {
    // Here whole tables are compared, once.
    await this.query('SET LOCAL enable_seqscan = on', []);
    await this.query('ANALYZE import_named', []);
    const others = `shop_id = $1 AND NOT EXISTS (
      SELECT FROM import_named AS n WHERE n.kind = '${kind}' AND n.external_id = t.external_id)`;
    const { rowCount } =
      kind === 'product'
        ? await this.query(
            `UPDATE products AS t SET deleted_at = $2::timestamptz WHERE deleted_at IS NULL AND ${others}`,
            [shopId, now],
          )
        : await this.query(`DELETE FROM ${kind}s AS t WHERE ${others}`, [shopId]);
    return rowCount;
  }
}
