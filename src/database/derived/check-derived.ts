import type { Client } from 'pg';
import { DatabaseError } from 'pg';
import { AdministrationError } from '../../errors/administration-error';
import { maskAddresses } from '../../privacy/addresses';
import { DatabaseUnavailableError } from '../database-failure';
import { longestLockWaitMilliseconds, serverProcessOf, watchLockWaits } from '../lock-waits';
import type { ShopConnection } from '../sharding/connect-to-shop';
import { connectToAllShops, connectToShop } from '../sharding/connect-to-shop';
import { findCopyDifferences, refreshCopies } from '../sharding/distribute';
import type { DerivedCheck, GeneratedColumn } from './derived-checks';
import {
  copiedTables,
  disabledTriggers,
  readGeneratedColumns,
  reenabled,
  remains,
  toDerivedChecks,
  waitForTruncate,
} from './derived-checks';

/** An object whose derived value is not what its sources give. Null is a value or a row that is not there. */
interface Difference {
  readonly object: string;
  readonly stored: string | null;
  readonly expected: string | null;
}

/** What differs in one shop, or in none that exists. Programs rely on the names. */
export interface DifferencesOfKind {
  /** The domain; null for what a deleted shop left behind, and for what concerns all. */
  readonly shop: string | null;
  /** Table and column, or what is wrong with the rows of a table. */
  readonly kind: string;
  readonly count: number;
  /** The first by id. */
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
  /** Called with a line for people while another session holds a lock that this needs. */
  readonly onWait?: (line: string) => void;
  /** The longest wait for one lock. */
  readonly lockTimeoutMilliseconds?: number;
}

const examplesPerKind = 20;
const longestExample = 200;
const applicationName = 'catalog check';
/** For one statement: a large shop's rows take minutes. */
const statementTimeoutMilliseconds = 60 * 60_000;
const attempts = 5;

type Query = Pick<Client, 'query'>;

/** All parts of what the database derives, with the generated columns that it has now. */
export const readDerivedChecks = async (client: Query): Promise<readonly DerivedCheck[]> =>
  toDerivedChecks((await client.query<GeneratedColumn>(readGeneratedColumns)).rows);

/** What differs by one check: kinds with their counts and first examples. Only these leave the database. */
export async function findDifferences(
  client: Query,
  { differences }: Pick<DerivedCheck, 'differences'>,
  shopId?: string,
): Promise<Omit<DifferencesOfKind, 'shop'>[]> {
  const { rows } = await client.query<Difference & { kind: string; count: string }>(
    `SELECT kind, object, left(stored, ${longestExample}) AS stored, left(expected, ${longestExample}) AS expected, count::text
       FROM (SELECT *, count(*) OVER (PARTITION BY kind) AS count, row_number() OVER (PARTITION BY kind ORDER BY object, stored, expected) AS rank
               FROM (${differences}) AS d) AS d
      WHERE rank <= ${examplesPerKind} ORDER BY kind, rank`,
    shopId === undefined ? [] : [shopId],
  );
  const kinds = new Map<string, { kind: string; count: number; examples: Difference[] }>();
  for (const { kind, count, object, stored, expected } of rows) {
    const found = kinds.get(kind) ?? { kind, count: Number(count), examples: [] };
    found.examples.push({
      object,
      stored: stored && maskAddresses(stored),
      expected: expected && maskAddresses(expected),
    });
    kinds.set(kind, found);
  }
  return [...kinds.values()];
}

/**
 * Compares everything derived with a fresh computation, shop by shop, each in a snapshot of its own. With `repair`,
 * what differs is corrected in one transaction per shop, under the lock that writers take, and the shop's change feed
 * is restarted: the session without triggers that left the difference may have changed what leaves none. Where nothing
 * differs, nothing is written.
 * @throws AdministrationError when the shop does not exist, the role does not own the tables, or triggers are off
 */
export async function checkDerived({
  url,
  domain,
  repair,
  onShop,
  onWait = () => undefined,
  lockTimeoutMilliseconds = longestLockWaitMilliseconds,
}: CheckOptions): Promise<CheckReport> {
  const options = { connectionTimeoutMillis: 10_000, keepAlive: true, isWriting: repair };
  const report = { shops: 0, differences: [] as DifferencesOfKind[] };
  const check = async (connection: ShopConnection): Promise<void> => {
    const { shops, differences } = await checkShops(connection, {
      domain,
      repair,
      onShop,
      onWait,
      lockTimeoutMilliseconds,
    });
    report.shops += shops;
    report.differences.push(...differences);
  };
  if (domain !== undefined) {
    const connection = await connectToShop(url, { domain }, options);
    await check(connection).finally(() => connection.end());
    return report;
  }
  for (const { node, schema, names } of await findCopyDifferences(url)) {
    const examples = names.map((object) => ({
      object,
      stored: `differs in ${schema} on ${node}`,
      expected: 'as in the schema public',
    }));
    report.differences.push({
      shop: null,
      kind: 'functions',
      count: names.length,
      examples: examples.slice(0, examplesPerKind),
    });
  }
  // What they derived meanwhile is compared once they are right.
  if (repair) await refreshCopies(url);
  else if (report.differences.length > 0) return report;
  for await (const connection of connectToAllShops(url, options)) await check(connection);
  return report;
}

/** Checks one shop, or all that are there and what concerns none. */
async function checkShops(
  { client, url }: ShopConnection,
  { domain, repair, onShop, onWait, lockTimeoutMilliseconds }: Required<Omit<CheckOptions, 'url'>>,
): Promise<CheckReport> {
  const session = { client, lockTimeoutMilliseconds };
  const waits = watchLockWaits({ url, pids: () => [serverProcessOf(client)], log: onWait });
  try {
    const { checks, shops } = await inTransaction(session, 'ISOLATION LEVEL REPEATABLE READ READ ONLY', async () => {
      await requireOwner(client);
      if (repair) {
        await requireTriggers(client);
        await requireNoCopying(client);
      }
      return { checks: await readDerivedChecks(client), shops: await readShops(client, domain) };
    });
    const differences: DifferencesOfKind[] = [];
    for (const shop of shops) {
      onShop(shop.domain);
      differences.push(...(await checkOne(session, checks, shop, repair)));
    }
    if (domain === undefined) {
      for (const check of [reenabled, remains])
        differences.push(...(await checkOne(session, [check], undefined, repair)));
    }
    return { shops: shops.length, differences };
  } catch (error) {
    const said = await waits.explain(error);
    if (said === undefined) throw error;
    throw new DatabaseUnavailableError(`The check ${said}, and run \`catalog check\` again.`, { cause: error });
  } finally {
    await waits.close();
  }
}

interface CheckedShop {
  readonly shopId: string;
  readonly domain: string;
}

async function checkOne(
  session: Session,
  checks: readonly DerivedCheck[],
  shop: CheckedShop | undefined,
  repair: boolean,
): Promise<DifferencesOfKind[]> {
  const differences: DifferencesOfKind[] = [];
  const failed: DerivedCheck[] = [];
  const { client } = session;
  await inTransaction(session, 'ISOLATION LEVEL REPEATABLE READ READ ONLY', async () => {
    await client.query(waitForTruncate);
    for (const check of checks) {
      const found = await findDifferences(client, check, shop?.shopId);
      if (found.length > 0) failed.push(check);
      differences.push(...found.map((kind) => ({ shop: shop?.domain ?? null, ...kind })));
    }
  });
  if (repair && failed.length > 0) await repairInTurn(session, failed, shop);
  return differences;
}

/** A writer that deletes without locking its shop first may deadlock with this (docs/writers.md). */
async function repairInTurn(
  session: Session,
  failed: readonly DerivedCheck[],
  shop: CheckedShop | undefined,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(session, 'ISOLATION LEVEL READ COMMITTED READ WRITE', () =>
        repairOne(session.client, failed, shop),
      );
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== '40P01' || attempt === attempts) throw error;
    }
  }
}

async function repairOne(
  client: Client,
  failed: readonly DerivedCheck[],
  shop: CheckedShop | undefined,
): Promise<void> {
  const values = shop === undefined ? [] : [shop.shopId];
  // It locks the shop, and gives it a version.
  if (shop !== undefined) await client.query('SELECT catalog_restart_changes($1)', values);
  for (const { repair } of failed) {
    for (const statement of repair) await client.query(statement, statement.includes('$1') ? values : []);
  }
  await client.query('SET CONSTRAINTS ALL IMMEDIATE');
  for (const check of failed) {
    const [left] = await findDifferences(client, check, shop?.shopId);
    if (left === undefined) continue;
    throw new AdministrationError(
      'NOT_REPAIRED',
      `Nothing was changed in ${shop?.domain ?? 'what concerns all shops'}: ${left.kind} of ${left.examples[0]?.object ?? ''} ` +
        'still differs after its repair. Expected the functions of the migrations; see docs/operations.md, Derived data.',
    );
  }
}

interface Session {
  readonly client: Client;
  readonly lockTimeoutMilliseconds: number;
}

/** Every statement of a check runs in one: outside of it, there is no limit to a wait for a lock. */
async function inTransaction<Result>(
  { client, lockTimeoutMilliseconds }: Session,
  mode: string,
  run: () => Promise<Result>,
): Promise<Result> {
  await client.query(`BEGIN ${mode}`);
  try {
    // In the transaction, because behind a pooler the next one may have another connection.
    await client.query(
      `SET LOCAL statement_timeout = ${statementTimeoutMilliseconds}; SET LOCAL lock_timeout = ${lockTimeoutMilliseconds};
       SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL jit = off; SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO';
       SET LOCAL application_name = '${applicationName}'`,
    );
    const result = await run();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Triggers keep derived tables as the owner; no other role may read or write all of them. */
async function requireOwner(client: Client): Promise<void> {
  const { rows } = await client.query<{ owner: string; role: string }>(
    `SELECT pg_get_userbyid(relowner)::text AS owner, current_user::text AS role FROM pg_class
      WHERE oid = 'visible_sets'::regclass AND NOT pg_has_role(relowner, 'USAGE')`,
  );
  const [other] = rows;
  if (other === undefined) return;
  throw new AdministrationError(
    'FORBIDDEN',
    `DATABASE_URL: expected a login of ${other.owner}, the owner of the tables, as for \`catalog migrate\`, got ${other.role}.`,
  );
}

async function requireTriggers(client: Client): Promise<void> {
  const { rows } = await client.query<{ table: string; name: string; isForeignKey: boolean }>(disabledTriggers);
  const [first] = rows;
  if (first !== undefined) {
    // Only a superuser may enable triggers of foreign keys, and only a superuser could disable them.
    const which = rows.some(({ isForeignKey }) => isForeignKey) ? 'ALL' : 'USER';
    const tables = [...new Set(rows.map(({ table }) => table))];
    throw new AdministrationError(
      'TRIGGERS_DISABLED',
      [
        `Nothing was changed: ${rows.length} triggers are disabled, such as ${first.name} of ${first.table}. Enable them first:`,
        ...tables.map((table) => `  ALTER TABLE ${table} ENABLE TRIGGER ${which};`),
      ].join('\n'),
    );
  }
  const { rows: settings } = await client.query<{ role: string }>(
    "SELECT current_setting('session_replication_role') AS role",
  );
  const role = settings[0]?.role;
  if (role !== 'replica') return;
  throw new AdministrationError(
    'TRIGGERS_DISABLED',
    'Nothing was changed: session_replication_role is replica for this login, so that no trigger runs. Expected origin: ALTER ROLE … RESET session_replication_role.',
  );
}

/**
 * While it copies, rows are there before the shop or the product that they belong to, and would be taken for what these
 * left behind.
 */
async function requireNoCopying(client: Client): Promise<void> {
  const { rows } = await client.query<{ table: string }>(copiedTables);
  const [first] = rows;
  if (first === undefined) return;
  throw new AdministrationError(
    'SUBSCRIPTION_COPYING',
    `Nothing was changed: a subscription of logical replication still copies ${first.table}. Expected none that copies: repeat this when pg_subscription_rel.srsubstate is r for all tables, or drop the subscription.`,
  );
}

async function readShops(client: Client, domain: string | undefined): Promise<readonly CheckedShop[]> {
  const { rows } = await client.query<CheckedShop>(
    'SELECT shop_id AS "shopId", domain FROM shops WHERE domain = $1 OR $1 IS NULL ORDER BY created_at, shop_id',
    [domain ?? null],
  );
  if (rows.length > 0 || domain === undefined) return rows;
  throw new AdministrationError(
    'NOT_FOUND',
    `There is no shop with the domain ${domain}. \`catalog shop list\` shows all.`,
  );
}
