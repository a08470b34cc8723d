import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseApiKey, scopes } from '../auth/api-key';
import { createApiKey } from '../auth/api-keys';
import { createKeyReader } from '../auth/authenticator';
import { loadKey, toPresented } from '../auth/authenticator';
import type { Clock } from '../common/clock';
import type { Config } from '../config/config';
import type { Database } from '../database/database';
import { openDatabase } from '../database/open-database';
import { rawSql, sql } from '../database/sql';
import { ApiError } from '../errors/api-error';
import { explainFileError, onErrorCode, provideDataDirectory } from '../common/data-directory';
import { projectRoot } from '../common/project-root';
import { createShop } from '../catalog/shop/shop-store';
import { demoDomain } from './demo-product';

const snapshotFile = join(projectRoot, 'prisma/demo/demo-shop.ndjson');
const advisoryLockKey = 72_707_370;

interface DemoShop {
  readonly domain: string;
  /** A key with all scopes. It stays the same across starts until it is revoked. */
  readonly apiKey: string;
}

/**
 * Provides a shop with demo data, and a key to read it with. For the embedded database only. Loads the shop once, when
 * there is no other shop. Stores the key in DATA_DIR and creates a new one when it no longer works. Two processes that
 * start at the same time get the same shop and the same key. Opens its own connections: the limits for requests do not
 * apply to it.
 */
export async function ensureDemoShop(
  { url }: Pick<Database, 'url'>,
  config: Config,
  clock: Clock,
): Promise<DemoShop | undefined> {
  return withLock(url, async (database) => {
    const loaded = await ensureLoaded(database, clock);
    const apiKey = loaded ? await ensureKey(database, config, clock) : undefined;
    return apiKey === undefined ? undefined : { domain: demoDomain, apiKey };
  });
}

/** This service hosts the demo shop's pictures: each start updates their URLs to its current origin. */
export const placeDemoPictures = (database: Pick<Database, 'readRows'>, origin: string): Promise<unknown> =>
  Promise.all([
    database.readRows(sql`
      UPDATE products SET images = regexp_replace(images::text, '"[^"]*(/demo/[^/"]*")', '"' || ${origin}::text || '\\1', 'g')::jsonb
       WHERE shop_id = (SELECT shop_id FROM shops WHERE domain = ${demoDomain}) AND images::text LIKE '%/demo/%' AND images::text NOT LIKE '%"' || ${origin}::text || '/demo/%'`),
    ...['products', 'variants', 'collections'].map((table) =>
      database.readRows(sql`
        UPDATE ${rawSql(table)} SET image_url = ${origin}::text || substring(image_url FROM '/demo/[^/]*$')
         WHERE shop_id = (SELECT shop_id FROM shops WHERE domain = ${demoDomain})
           AND image_url <> ${origin}::text || substring(image_url FROM '/demo/[^/]*$')`),
    ),
  ]);

const patienceMilliseconds = 5 * 60_000;

/** One connection holds the lock, another does the work. */
async function withLock<Result>(url: string, task: (database: Database) => Promise<Result>): Promise<Result> {
  const database = openDatabase({
    url,
    poolSize: 2,
    statementTimeoutMilliseconds: patienceMilliseconds,
    connectionTimeoutMilliseconds: 10_000,
  });
  try {
    return await database.prisma.$transaction(
      async (transaction) => {
        await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${advisoryLockKey}::bigint)`;
        return task(database);
      },
      { maxWait: 10_000, timeout: patienceMilliseconds },
    );
  } finally {
    await database.close();
  }
}

async function ensureLoaded(database: Database, clock: Clock): Promise<boolean> {
  const shops = await database.prisma.shop.findMany({ select: { domain: true, lastSyncAt: true } });
  const demo = shops.find(({ domain }) => domain === demoDomain);
  if (demo === undefined && shops.length > 0) return false;
  if (demo === undefined) {
    const attributes = { name: null, platform: null, currency: null, plan: 'business', productLimit: null } as const;
    await createShop(database, { domain: demoDomain, ...attributes });
  }
  // A shop that was never synchronized is left over from an interrupted start.
  if (!demo?.lastSyncAt) {
    await importSnapshot(database, clock);
  }
  return true;
}

const dayMilliseconds = 24 * 60 * 60_000;

/**
 * Imports the shop as if it had been synchronized within the last day: all its dates move by the same number of days.
 */
async function importSnapshot(database: Database, clock: Clock): Promise<void> {
  const snapshot = await readFile(snapshotFile, 'utf8');
  const [, synchronized = ''] = /"last_sync_at":"([^"]*)"/.exec(snapshot) ?? [];
  const age = Math.floor((clock() - Date.parse(synchronized)) / dayMilliseconds) * dayMilliseconds;
  const shifted = snapshot.replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, (moment) =>
    JSON.stringify(new Date(Date.parse(JSON.parse(moment) as string) + age)),
  );
  const directory = await mkdtemp(join(tmpdir(), 'demo-shop-'));
  try {
    const file = join(directory, 'demo-shop.ndjson');
    await writeFile(file, shifted);
    // Only the first start needs it.
    const { importFiles } = await import('../ingest/import-files.js');
    await importFiles(database, { files: [file], shopDomain: demoDomain, format: 'snapshot', clock });
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function ensureKey(database: Database, config: Config, clock: Clock): Promise<string | undefined> {
  const file = join(config.dataDir, 'demo-api-key');
  const stored = await readStoredKey(file);
  if (stored !== undefined && (await works(database, stored, clock))) return stored;
  try {
    const { apiKey } = await createApiKey(database, {
      shopDomain: demoDomain,
      scopes,
      name: 'demo',
      keyPrefix: config.keyPrefix,
      clock,
    });
    await provideDataDirectory(config.dataDir);
    // Renamed into place, so that an interrupted start leaves a complete key or none. The leftover of such a start may
    // have another mode.
    await rm(`${file}.new`, { force: true });
    await writeFile(`${file}.new`, `${apiKey}\n`, { mode: 0o600 });
    await rename(`${file}.new`, file);
    return apiKey;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'PLAN_LIMIT_EXCEEDED') return undefined;
    throw explainFileError(error, config.dataDir);
  }
}

async function readStoredKey(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8').catch(onErrorCode(['ENOENT'], undefined)))?.trim();
  } catch (error) {
    throw explainFileError(error, dirname(file));
  }
}

async function works(database: Database, text: string, clock: Clock): Promise<boolean> {
  const key = parseApiKey(text);
  if (key === undefined) return false;
  const record = await loadKey(createKeyReader(database), toPresented(key), clock());
  return record?.shop.domain === demoDomain;
}
