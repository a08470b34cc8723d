import type { Client } from 'pg';
import { AdministrationError } from '../../errors/administration-error';
import { connectToPrimary } from '../host-choice';
import { longestLockWaitMilliseconds } from '../lock-waits';
import type { Scripts } from '../migration-files';
import { migrationLockKey, readScripts } from '../migration-files';
import { renderCopies, shardedTables, withoutCopies } from './shard-copies';
import type { GroupPlacement } from './shard-groups';
import { hasCitus, isDistributed, readDistributedTables, readGroups, toNodeUrl } from './shard-groups';

/** The result. Programs rely on the names. */
interface DistributionReport {
  readonly nodes: number;
  readonly groups: number;
  /** The tables that this run distributed. */
  readonly tables: readonly string[];
  /** The groups whose functions and triggers this run created. */
  readonly copied: readonly string[];
}

interface DistributeOptions {
  readonly log?: ((line: string) => void) | undefined;
  /** Only creates the copies of groups; an error if the tables are not distributed. */
  readonly refresh?: boolean;
  readonly scripts?: Scripts;
}

const applicationName = 'catalog distribute';
const connectionOptions = { connectionTimeoutMillis: 10_000, application_name: applicationName };

/**
 * Distributes the tables of a migrated database by shop over the nodes of Citus, and creates each shard group's copies
 * of functions and triggers. Idempotent: it can be repeated after an interruption, after a migration, and after shards
 * moved. Between the two steps, and on a group that moved, writes are refused, because the triggers that Citus creates
 * call functions that cannot run inside a shard.
 * @throws AdministrationError when the server has no Citus or no node for shards, or when triggers that are not ours
 * remain
 */
export const distribute = (
  url: string,
  { log = () => undefined, refresh = false, scripts = readScripts() }: DistributeOptions = {},
): Promise<DistributionReport> =>
  onNode(url, async (client) => {
    await requireNodes(client);
    if (refresh && !(await isDistributed(client)))
      refuse('The tables are not distributed yet: run `catalog distribute` without --refresh.');
    const tables = await divideTables(client, scripts);
    if (tables.length > 0) log(`distributed ${tables.join(', ')}`);
    return { ...(await copyFunctions(client, url, scripts, log)), tables };
  });

/**
 * Creates the functions and triggers that groups lack. Does nothing if the tables are not distributed.
 * @returns the groups that got copies now
 */
export const refreshCopies = (
  url: string,
  { log = () => undefined, scripts = readScripts() }: Omit<DistributeOptions, 'refresh'> = {},
): Promise<readonly string[]> =>
  onNode(url, async (client) =>
    (await isDistributed(client)) ? (await copyFunctions(client, url, scripts, log)).copied : [],
  );

async function onNode<Result>(url: string, run: (client: Client) => Promise<Result>): Promise<Result> {
  const client = await connectToPrimary(url, connectionOptions);
  try {
    return await run(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

const refuse = (reason: string): never => {
  throw new AdministrationError('NOT_DISTRIBUTABLE', reason);
};

async function requireNodes(client: Client): Promise<void> {
  const nodes = 'SELECT FROM pg_dist_node WHERE shouldhaveshards AND isactive AND hasmetadata';
  if ((await hasCitus(client)) && (await client.query(nodes)).rows.length > 0) return;
  refuse(
    'No Citus node accepts shards. Expected the citus extension in this database on the coordinator and on each worker ' +
      '(CREATE EXTENSION citus), and at least one active node with metadata, added with citus_add_node; see docs/scaling.md.',
  );
}

/** One transaction: an interruption leaves the tables unchanged. */
async function divideTables(client: Client, scripts: Scripts): Promise<string[]> {
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = ${longestLockWaitMilliseconds}`);
    await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLockKey]);
    const divided = await readDistributedTables(client);
    const missing = shardedTables.filter((table) => !divided.includes(table));
    if (missing.length > 0) {
      if (divided.length > 0)
        refuse(
          `Some tables are already distributed, but not ${missing.join(', ')}. Expected all or none: undo it with ` +
            "`SELECT undistribute_table('public.shops', cascade_via_foreign_keys => true)` and the like for the others, then run this again.",
        );
      for (const statement of prepare) await client.query(statement);
      for (const table of shardedTables) {
        await client.query(`SELECT create_distributed_table('public.${table}', 'shop_id', colocate_with => $1)`, [
          table === 'shops' ? 'none' : 'public.shops',
        ]);
      }
      await client.query(removeLocalRows, [shardedTables]);
      for (const statement of finish) await client.query(statement);
      for (const statement of triggersOf(scripts)) await client.query(statement);
    }
    await client.query('COMMIT');
    return missing;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * Citus passes on one statement at a time. The last file has the triggers alone, so no body of a function has this end.
 */
const triggersOf = ({ functions }: Scripts): readonly string[] =>
  (functions.at(-1)?.sql ?? '').split(/;$/m).filter((statement) => /^\w/m.test(statement));

/**
 * Drops what Citus cannot distribute: triggers, until the rows have been moved; the unique index of domains, replaced
 * by shop_domains; ON UPDATE CASCADE of keys, because a shop's id cannot change on Citus. The lock of a shop also waits
 * for the shards.
 */
const prepare: readonly string[] = [
  `SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true), set_config('citus.enable_unsafe_triggers', 'on', true)`,
  `DO $prepare$
  DECLARE
    own record;
  BEGIN
    FOR own IN SELECT tgrelid::regclass AS at, tgname AS name FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid
                WHERE NOT tgisinternal AND p.pronamespace = 'public'::regnamespace AND p.proname LIKE 'catalog\\_%' LOOP
      EXECUTE format('DROP TRIGGER %I ON %s', own.name, own.at);
    END LOOP;
    FOR own IN SELECT conrelid::regclass AS at, conname AS name, confrelid::regclass AS other FROM pg_constraint
                WHERE contype = 'f' AND confupdtype = 'c' AND connamespace = 'public'::regnamespace LOOP
      EXECUTE format('ALTER TABLE %1$s DROP CONSTRAINT %2$I, ADD CONSTRAINT %2$I FOREIGN KEY (shop_id) REFERENCES %3$s ON DELETE CASCADE',
                     own.at, own.name, own.other);
    END LOOP;
  END
  $prepare$`,
  `DROP INDEX public.shops_domain_key`,
  `CREATE INDEX shops_domain_idx ON public.shops (domain)`,
  `CREATE OR REPLACE FUNCTION public.catalog_hold_shop(shop uuid) RETURNS boolean LANGUAGE sql VOLATILE AS 'SELECT true'`,
];

/** Deletes the original rows, which Citus leaves in the local tables. */
const removeLocalRows = `
  SELECT truncate_local_data_after_distributing_table(('public.' || name)::regclass) FROM unnest($1::text[]) AS t (name)`;

/**
 * Further objects that Citus needs.
 *
 * - shop_domains: domains are unique over all nodes. A shop's row is written there first: the foreign key refuses a
 * shop without it (docs/writers.md).
 * - The ledgers of migrations on each node, because each may serve requests.
 * - catalog_hold_shop, catalog_is_witnessed and catalog_restart_history find the shard of the shop. They run inside a
 * shard, where rows are written and read.
 * - catalog_run returns 'unknown': the run of whichever node executes it would mean nothing.
 * - catalog_hold_shard keeps a group from moving until the end of the transaction, for imports, which write to the
 * shards themselves. Citus requires the owner of the tables.
 */
const finish: readonly string[] = [
  `CREATE TABLE public.shop_domains (domain text PRIMARY KEY, shop_id uuid NOT NULL, UNIQUE (domain, shop_id))`,
  `INSERT INTO public.shop_domains (domain, shop_id) SELECT domain, shop_id FROM public.shops`,
  `SELECT create_reference_table('public.shop_domains'), create_reference_table('public._prisma_migrations'),
         create_reference_table('public.function_files')`,
  `ALTER TABLE public.shops ADD CONSTRAINT shops_domain_fkey FOREIGN KEY (domain, shop_id) REFERENCES public.shop_domains (domain, shop_id)`,
  `CREATE OR REPLACE FUNCTION public.catalog_hold_shop(shop uuid) RETURNS boolean
  LANGUAGE plpgsql VOLATILE AS $hold$
  BEGIN
    IF pg_catalog.current_setting('catalog.held_shop', true) OPERATOR(pg_catalog.=) shop::pg_catalog.text THEN
      RETURN true;
    END IF;
    EXECUTE pg_catalog.format('SELECT FROM public.shops_%s AS s WHERE s.shop_id OPERATOR(pg_catalog.=) $1 FOR NO KEY UPDATE',
                              pg_catalog.get_shard_id_for_distribution_column('public.shops', shop)) USING shop;
    PERFORM pg_catalog.set_config('catalog.held_shop', shop::pg_catalog.text, true);
    RETURN true;
  END
  $hold$`,
  `CREATE OR REPLACE FUNCTION public.catalog_is_witnessed(shop uuid, of_epoch uuid) RETURNS boolean
  LANGUAGE plpgsql STABLE AS $witness$
  DECLARE
    is_witnessed boolean;
  BEGIN
    EXECUTE pg_catalog.format('SELECT shard_%s.catalog_has_witness($1, $2)',
                              pg_catalog.get_shard_id_for_distribution_column('public.shops', shop)) USING shop, of_epoch INTO is_witnessed;
    RETURN is_witnessed;
  END
  $witness$`,
  `CREATE OR REPLACE FUNCTION public.catalog_restart_history(shop uuid) RETURNS void
  LANGUAGE plpgsql AS $restart$
  BEGIN
    EXECUTE pg_catalog.format('SELECT shard_%s.catalog_begin_epoch($1, 0)',
                              pg_catalog.get_shard_id_for_distribution_column('public.shops', shop)) USING shop;
  END
  $restart$`,
  `CREATE OR REPLACE FUNCTION public.catalog_run(shop uuid) RETURNS text LANGUAGE sql STABLE AS $run$ SELECT 'unknown' $run$`,
  `CREATE FUNCTION public.catalog_hold_shard(shard bigint) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $hold$
  BEGIN
    PERFORM lock_shard_metadata(5 /* ShareLock */, ARRAY[shard]);
  END
  $hold$`,
  `REVOKE ALL ON FUNCTION public.catalog_hold_shard FROM PUBLIC`,
];

async function copyFunctions(
  client: Client,
  url: string,
  scripts: Scripts,
  log: (line: string) => void,
): Promise<{ nodes: number; groups: number; copied: string[] }> {
  const groups = await readGroups(client);
  const copied = await eachNode(url, groups, async (node, own) => {
    await node.query('BEGIN');
    await node.query(`SET LOCAL lock_timeout = ${longestLockWaitMilliseconds}`);
    await node.query(ownWork);
    await dropLeftBehind(node, own);
    const lacking = await withoutCopies(node, scripts, own);
    for (const group of lacking) await node.query(renderCopies(scripts, group));
    const [left] = await withoutCopies(node, scripts, own);
    if (left !== undefined)
      refuse(
        `${left.node}: triggers of ${left.schema} call functions that are not its own. Writes to its shops fail or are wrong: ` +
          'stop the writers, find out what changed them, and run this command again.',
      );
    await node.query('COMMIT');
    if (lacking.length > 0) log(`${own[0]?.node ?? ''}: created functions (shard groups: ${lacking.length})`);
    return lacking.map(({ schema }) => schema);
  });
  return { nodes: new Set(groups.map(({ node }) => node)).size, groups: groups.length, copied };
}

/** Statements stay on the node they are sent to, and may change shards. */
const ownWork = `
  SELECT set_config('citus.enable_ddl_propagation', 'off', true), set_config('citus.enable_manual_changes_to_shards', 'on', true),
         set_config('citus.override_table_visibility', 'off', true), set_config('citus.enable_unsafe_triggers', 'on', true),
         set_config('check_function_bodies', 'off', true), set_config('client_min_messages', 'warning', true)`;

/** Drops the schemas that groups left behind when they moved to another node. */
async function dropLeftBehind(node: Client, groups: readonly GroupPlacement[]): Promise<void> {
  const { rows } = await node.query<{ name: string }>(
    "SELECT nspname::text AS name FROM pg_namespace WHERE nspname ~ '^shard_[0-9]+$' AND nspname <> ALL ($1)",
    [groups.map(({ schema }) => schema)],
  );
  for (const { name } of rows) await node.query(`DROP SCHEMA ${name} CASCADE`);
}

/** Runs a task on a connection to each node, one after another. */
async function eachNode<Item>(
  url: string,
  groups: readonly GroupPlacement[],
  run: (node: Client, groups: readonly GroupPlacement[]) => Promise<readonly Item[]>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (const address of new Set(groups.map(({ node }) => node))) {
    const own = groups.filter(({ node }) => node === address);
    items.push(...(await onNode(toNodeUrl(url, address), (node) => run(node, own))));
  }
  return items;
}
