import { setTimeout as delay } from 'node:timers/promises';
import { connectToPrimary } from '../../database/connect-to-primary';
import { ImportError } from '../import-error';
import { importApplicationName, lockTimeoutMilliseconds, type Query } from './import-transaction';

interface LockOptions {
  readonly url: string;
  readonly domain: string;
  readonly onWait: ((text: string) => void) | undefined;
}

interface LockedShop {
  readonly shopId: string;
  /** How many products the shop has. */
  readonly liveProducts: number;
}

/**
 * Locks the shop against other writers until the import is done: they would wait in the first trigger anyway. While it waits itself, it
 * reports for whom.
 */
export async function lockShop(query: Query, { url, domain, onWait }: LockOptions): Promise<LockedShop> {
  const statement = `SELECT shop_id AS "shopId", live_product_count AS "liveProducts" FROM shops WHERE domain = $1`;
  const lock = (wait: string) =>
    query<{ shopId: string; liveProducts: string }>(`${statement} FOR NO KEY UPDATE ${wait}`, [domain]);
  let { rows } = await lock('SKIP LOCKED');
  if (rows.length === 0) ({ rows } = await query<{ shopId: string; liveProducts: string }>(statement, [domain]));
  else return toLocked(rows[0]);
  if (rows.length === 0) {
    throw new ImportError(`there is no shop ${JSON.stringify(domain)}; \`catalog shop create --domain …\` makes one`);
  }
  const { rows: own } = await query<{ pid: number }>('SELECT pg_backend_pid() AS pid', []);
  const waiting = lock('');
  const isOver = waiting.then(
    () => true,
    () => true,
  );
  // Without this information it can still wait.
  if (onWait) await reportBlocker(url, own[0]?.pid ?? 0, domain, onWait, isOver).catch(() => undefined);
  ({ rows } = await waiting);
  // Deleted during the wait.
  if (rows.length === 0) return lockShop(query, { url, domain, onWait });
  return toLocked(rows[0]);
}

const toLocked = (row: { shopId: string; liveProducts: string } | undefined): LockedShop => {
  if (row === undefined) throw new Error('no row');
  return { shopId: row.shopId, liveProducts: Number(row.liveProducts) };
};

const betweenLooks = 100;

/** Queries, on a separate connection, which process the server process waits for, until it is known or the wait is over. */
async function reportBlocker(
  url: string,
  pid: number,
  domain: string,
  onWait: (text: string) => void,
  isOver: Promise<boolean>,
): Promise<void> {
  const client = await connectToPrimary(url, {
    connectionTimeoutMillis: 5_000,
    application_name: importApplicationName,
  });
  try {
    for (;;) {
      const { rows } = await client.query<Blocker>(
        `SELECT pid, coalesce(application_name, '') AS name, to_char(xact_start AT TIME ZONE 'UTC', 'HH24:MI:SS') AS since
           FROM pg_stat_activity WHERE pid = ANY (pg_blocking_pids($1)) ORDER BY xact_start LIMIT 1`,
        [pid],
      );
      if (rows[0]) return onWait(describe(rows[0], domain));
      if (await Promise.race([isOver, delay(betweenLooks, false)])) return;
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}

interface Blocker {
  readonly pid: number;
  readonly name: string;
  readonly since: string | null;
}

function describe({ pid, name, since }: Blocker, domain: string): string {
  const isImport = name === importApplicationName;
  const who = isImport ? 'another import' : `another program${name === '' ? '' : ` (${JSON.stringify(name)})`}`;
  const begun = since === null ? '' : ` since ${since} UTC`;
  const minutes = lockTimeoutMilliseconds / 60_000;
  return `waiting: ${who} is writing the shop ${domain}${begun} (server process ${pid}); this import continues when it is done, and fails after ${minutes} minutes`;
}
