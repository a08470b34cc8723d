import { ImportError } from '../values/import-error';
import type { Query } from './import-transaction';
import { emptyKindReport, type KindReport } from './import-report';
import type { ShopRecord, ShopValues } from '../formats/record';

interface LockedShop {
  readonly shopId: string;
  /** How many products the shop has. */
  readonly liveProducts: number;
}

/**
 * Locks the shop against other writers until the import is done: they would wait in the first trigger anyway.
 * @throws ImportError when the shop does not exist, or was deleted during the wait
 */
export async function lockShop(query: Query, domain: string): Promise<LockedShop> {
  const { rows } = await query<LockedShop>(
    `SELECT shop_id AS "shopId", live_product_count::integer AS "liveProducts" FROM shops WHERE domain = $1 FOR NO KEY UPDATE`,
    [domain],
  );
  const [shop] = rows;
  if (shop === undefined) {
    throw new ImportError(
      `Shop ${JSON.stringify(domain)} not found. Create it with \`catalog shop create --domain …\`.`,
    );
  }
  return shop;
}

const shopColumns: readonly (keyof ShopValues)[] = ['name', 'platform', 'currency', 'plan_status', 'created_at'];

/** The shop lines of all files together: the last value of each member is used. */
export class ShopWriter {
  #values: ShopValues = {};
  #lastSyncAt: string | null = null;
  #lines = 0;

  add(record: ShopRecord): void {
    this.#lines += 1;
    this.#values = { ...this.#values, ...record.values };
    this.#lastSyncAt = record.lastSyncAt ?? this.#lastSyncAt;
  }

  /** Writes last_sync_at and the values of the lines; a shop that already has them is not written. */
  async write(query: Query, shopId: string, now: string): Promise<{ report: KindReport; lastSyncAt: string }> {
    const lastSyncAt = this.#lastSyncAt ?? now;
    const named = shopColumns.filter((column) => this.#values[column] !== undefined);
    const changed = await update(query, shopId, named, named.map((column) => this.#values[column] ?? null)); // prettier-ignore
    await update(query, shopId, ['last_sync_at'], [lastSyncAt]);
    const report = { ...emptyKindReport(), read: this.#lines };
    if (this.#lines > 0) report[changed ? 'updated' : 'unchanged'] = 1;
    return { report, lastSyncAt };
  }
}

async function update(
  query: Query,
  shopId: string,
  columns: readonly string[],
  values: readonly (string | null)[],
): Promise<boolean> {
  if (columns.length === 0) return false;
  const given = columns.map((column, index) => `$${index + 2}${column.endsWith('_at') ? '::timestamptz' : '::text'}`);
  const assignments = columns.map((column, index) => `${column} = ${given[index]}`);
  const { rowCount } = await query(
    `UPDATE shops SET ${assignments.join(', ')} WHERE shop_id = $1
      AND (${columns.map((column, index) => `${column} IS DISTINCT FROM ${given[index]}`).join(' OR ')})`,
    [shopId, ...values],
  );
  return rowCount > 0;
}
