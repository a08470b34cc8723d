import { setTimeout as delay } from 'node:timers/promises';
import { seedShop } from './seed';
import type { Sql } from './test-database';

/** The exports that run in this database: rows of pg_stat_activity. */
export const runningExports = `pg_stat_activity WHERE application_name = 'catalog export' AND datname = current_database()`;

/**
 * A shop whose export has 288 kB per product. Each connection on the way buffers up to 32 MB at the receiver
 * (net.ipv4.tcp_rmem of some machines) and 4 MB at the sender.
 */
export async function seedLargeShop(sql: Sql, products: number): Promise<string> {
  const shop = await seedShop(sql);
  await sql(
    `INSERT INTO products (shop_id, external_id, title, description_html, created_at, updated_at)
     SELECT $1, n::text, 'Product ' || n, repeat('0123456789abcdef', 18000), now(), now() FROM generate_series(1, ${products}) AS n`,
    [shop],
  );
  return shop;
}

/** Waits until a held connection (`service.holdExports`) keeps PostgreSQL from sending. */
export async function untilPostgresWaits(sql: Sql): Promise<void> {
  let sent = -1;
  for (let same = 0; same < 10; await delay(20)) {
    const [row] = await sql<{ sent: number; event: string | null }>(
      `SELECT p.tuples_processed::integer AS sent, a.wait_event AS event
         FROM pg_stat_progress_copy AS p JOIN (SELECT * FROM ${runningExports}) AS a USING (pid)`,
    );
    if (row === undefined) {
      // Not begun, or ended.
      if (sent !== -1) throw new Error('The export did not pause: it has ended.');
      continue;
    }
    same = row.event === 'ClientWrite' && row.sent === sent ? same + 1 : 0;
    ({ sent } = row);
  }
}

/** Waits until no export is running. */
export async function untilNothingRuns(sql: Sql): Promise<void> {
  while ((await sql(`SELECT pid FROM ${runningExports}`)).length > 0) await delay(20);
}
