import type { Client } from 'pg';
import { AdministrationError } from '../../errors/administration-error';
import { maskAddresses } from '../../privacy/addresses';
import { DatabaseUnavailableError } from '../database-failure';
import { longestLockWaitMilliseconds, watchLockWaits } from '../lock-waits';
import type { ShopConnection } from '../sharding/connect-to-shop';
import { connectToAllShops, connectToShop } from '../sharding/connect-to-shop';
import { refreshCopies } from '../sharding/distribute';
import type { DerivedCheck, GeneratedColumn } from './derived-checks';
import {
  obstacles,
  readGeneratedColumns,
  reenabled,
  remains,
  toDerivedChecks,
  waitForTruncate,
} from './derived-checks';

/** An object whose derived value does not match its sources. Null stands for a missing value or row. */
interface Difference {
  readonly object: string;
  readonly stored: string | null;
  readonly expected: string | null;
}

/** Differences in one shop, or in data of deleted shops. Programs rely on the names. */
export interface DifferencesOfKind {
  /** The domain; null for leftovers of a deleted shop, and for differences that concern all shops. */
  readonly shop: string | null;
  /** Table and column, or a description of what is wrong with the rows. */
  readonly kind: string;
  readonly count: number;
  /** The first ones, by id. */
  readonly examples: readonly Difference[];
}

export interface CheckReport {
  readonly shops: number;
  readonly differences: readonly DifferencesOfKind[];
}

interface CheckOptions {
  readonly url: string;
  /** One shop's domain; undefined checks all shops. */
  readonly domain: string | undefined;
  readonly repair: boolean;
  readonly onShop: (domain: string) => void;
  /** Called with a message for people while another session holds a needed lock. */
  readonly onWait?: (line: string) => void;
  /** The longest wait for one lock. */
  readonly lockTimeoutMilliseconds?: number;
}

const examplesPerKind = 20;
const longestExample = 200;
/** For one statement: a large shop's rows take minutes. */
const statementTimeoutMilliseconds = 60 * 60_000;
const reading = 'ISOLATION LEVEL REPEATABLE READ READ ONLY';
const writing = 'ISOLATION LEVEL READ COMMITTED READ WRITE';

type Query = Pick<Client, 'query'>;

/** The checks of everything derived, including the generated columns that the database has now. */
export const readDerivedChecks = async (client: Query): Promise<readonly DerivedCheck[]> =>
  toDerivedChecks((await client.query<GeneratedColumn>(readGeneratedColumns)).rows);

/** Differences found by one check: kinds with their counts and first examples, all that leaves the database. */
export async function findDifferences(
  client: Query,
  { differences }: Pick<DerivedCheck, 'differences'>,
  shopId?: string,
): Promise<Omit<DifferencesOfKind, 'shop'>[]> {
  const { rows } = await client.query<{ kind: string; count: string; examples: Difference[] }>(
    `SELECT kind, count(*)::text AS count, json_agg(json_build_object('object', object, 'stored', left(stored, ${longestExample}),
              'expected', left(expected, ${longestExample})) ORDER BY rank) FILTER (WHERE rank <= ${examplesPerKind}) AS examples
       FROM (SELECT *, row_number() OVER (PARTITION BY kind ORDER BY object, stored, expected) AS rank FROM (${differences}) AS d) AS d
      GROUP BY kind ORDER BY kind`,
    shopId === undefined ? [] : [shopId],
  );
  const mask = (text: string | null): string | null => text && maskAddresses(text);
  return rows.map(({ kind, count, examples }) => ({
    kind,
    count: Number(count),
    examples: examples.map(({ object, stored, expected }) => ({
      object,
      stored: mask(stored),
      expected: mask(expected),
    })),
  }));
}

/**
 * Compares everything derived with a fresh computation, shop by shop, each in its own snapshot. With `repair`,
 * differences are corrected in one transaction per shop, under the lock that writers take, and the shop's change feed
 * is restarted: a session without triggers may also have made changes that leave no difference. Where nothing differs,
 * nothing is written.
 * @throws AdministrationError when the shop does not exist, the role does not own the tables, or triggers are off
 */
export async function checkDerived(options: CheckOptions): Promise<CheckReport> {
  const { url, domain, repair } = options;
  const connecting = { connectionTimeoutMillis: 10_000, isWriting: repair };
  if (domain !== undefined) {
    const connection = await connectToShop(url, { domain }, connecting);
    return checkShops(connection, options).finally(() => connection.end());
  }
  // Before the comparison, which then also covers what outdated copies derived.
  if (repair) await refreshCopies(url);
  const differences: DifferencesOfKind[] = [];
  let shops = 0;
  for await (const connection of connectToAllShops(url, connecting)) {
    const found = await checkShops(connection, options);
    shops += found.shops;
    differences.push(...found.differences);
  }
  return { shops, differences };
}

interface CheckedShop {
  readonly shopId: string;
  readonly domain: string;
}

/** Checks one shop, or all shops and what belongs to none. */
async function checkShops({ client, url }: ShopConnection, options: CheckOptions): Promise<CheckReport> {
  const { domain, repair, onShop, onWait = () => undefined } = options;
  const waits = watchLockWaits({ url, pids: () => [client.processID], log: onWait });

  /** Every statement of a check runs in a transaction: only there are waits for locks limited. */
  const inTransaction = async <Result>(mode: string, run: () => Promise<Result>): Promise<Result> => {
    // Settings are the transaction's: behind a pooler the next one may have another connection.
    await client.query(
      `BEGIN ${mode}; SET LOCAL statement_timeout = ${statementTimeoutMilliseconds};
       SET LOCAL lock_timeout = ${options.lockTimeoutMilliseconds ?? longestLockWaitMilliseconds};
       SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL jit = off; SET LOCAL TimeZone = 'UTC';
       SET LOCAL DateStyle = 'ISO'; SET LOCAL application_name = 'catalog check'`,
    );
    const result = await run();
    await client.query('COMMIT');
    return result;
  };

  const checkOne = async (checks: readonly DerivedCheck[], shop?: CheckedShop): Promise<DifferencesOfKind[]> => {
    const found: DifferencesOfKind[] = [];
    const failed = await inTransaction(reading, async () => {
      await client.query(waitForTruncate);
      const differing: DerivedCheck[] = [];
      for (const check of checks) {
        const kinds = await findDifferences(client, check, shop?.shopId);
        found.push(...kinds.map((kind) => ({ shop: shop?.domain ?? null, ...kind })));
        if (kinds.length > 0) differing.push(check);
      }
      return differing;
    });
    if (repair && failed.length > 0) await inTransaction(writing, () => repairOne(client, failed, shop));
    return found;
  };

  try {
    const [checks, shops] = await inTransaction(reading, async () => {
      if (repair) await refuseObstacles(client);
      return [await readDerivedChecks(client), await readShops(client, domain)] as const;
    });
    const differences: DifferencesOfKind[] = [];
    for (const shop of shops) {
      onShop(shop.domain);
      differences.push(...(await checkOne(checks, shop)));
    }
    if (domain === undefined) for (const check of [reenabled, remains]) differences.push(...(await checkOne([check])));
    return { shops: shops.length, differences };
  } catch (error) {
    const said = await waits.explain(error);
    if (said === undefined) throw error;
    throw new DatabaseUnavailableError(`The check ${said}, and run \`catalog check\` again.`, { cause: error });
  } finally {
    await waits.close();
  }
}

async function repairOne(
  client: Client,
  failed: readonly DerivedCheck[],
  shop: CheckedShop | undefined,
): Promise<void> {
  const values = shop === undefined ? [] : [shop.shopId];
  // This locks the shop and gives it a new version.
  if (shop !== undefined) await client.query('SELECT catalog_restart_changes($1)', values);
  for (const { repair } of failed) {
    for (const statement of repair) await client.query(statement, values);
  }
  await client.query('SET CONSTRAINTS ALL IMMEDIATE');
  for (const check of failed) {
    const [left] = await findDifferences(client, check, shop?.shopId);
    if (left === undefined) continue;
    throw new AdministrationError(
      'NOT_REPAIRED',
      `Nothing was changed in ${shop?.domain ?? 'data shared by all shops'}: ${left.kind} of ${left.examples[0]?.object ?? ''} ` +
        'still differs after the repair. A database function may differ from prisma/functions: restore it, then run the repair again.',
    );
  }
}

/** @throws AdministrationError */
async function refuseObstacles(client: Client): Promise<void> {
  const { rows } = await client.query<{ code: 'TRIGGERS_DISABLED' | 'SUBSCRIPTION_COPYING'; reason: string }>(
    obstacles,
  );
  for (const { code, reason } of rows) throw new AdministrationError(code, `The repair cannot continue: ${reason}`);
}

async function readShops(client: Client, domain: string | undefined): Promise<readonly CheckedShop[]> {
  const { rows } = await client.query<CheckedShop>(
    'SELECT shop_id AS "shopId", domain FROM shops WHERE domain = $1 OR $1 IS NULL ORDER BY created_at, shop_id',
    [domain ?? null],
  );
  if (rows.length > 0 || domain === undefined) return rows;
  throw new AdministrationError('NOT_FOUND', `Shop ${domain} not found. List the shops with \`catalog shop list\`.`);
}
