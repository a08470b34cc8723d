import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { Script, Scripts } from '../migration-files';
import { sql } from '../sql';

/*
 * Triggers of a shard cannot use distributed tables: Citus refuses a distributed query inside a query on a shard. So
 * each group of co-located shards has a schema with copies of the functions whose table names are those of its shards,
 * and its triggers call the copies (docs/scaling.md). Inside a group everything is plain SQL over plain tables.
 */

/** The tables distributed by shop_id, in the order of their foreign keys. */
export const shardedTables = [
  'shops',
  'api_keys',
  'key_usage',
  'products',
  'variants',
  'collections',
  'orders',
  'visible_sets',
  'visible_moves',
  'product_tags',
  'collection_products',
  'product_terms',
  'changes',
  'change_epochs',
  'change_witnesses',
  'unrecorded_writes',
  'order_figures',
] as const;

/** The shards of one range of shops, one of each table, all on one node. */
export interface ShardGroup {
  /** The schema of the copies: `shard_` and the number of the group's shard of shops. */
  readonly schema: string;
  /** The number of each table's shard: the shard of `products` is `products_<number>`. */
  readonly shards: Readonly<Record<string, string>>;
}

/** The functions that files create, without their schema. */
const functionsOf = (files: readonly Script[]): readonly string[] => [
  ...new Set(
    files.flatMap(({ sql }) =>
      [...sql.matchAll(/^CREATE OR REPLACE FUNCTION public\.(\w+)/gm)].map(([, name]) => name as string),
    ),
  ),
];

/** Tables whose `ctid` or `tableoid` is used in statements. */
const withSystemColumns: ReadonlySet<string> = new Set(['products', 'variants', 'collections', 'orders']);

/**
 * Digest of the scripts that copies are made from, stored as the comment of their schema. Includes migrations, because
 * views list columns.
 */
const digestOf = ({ migrations, functions }: Scripts): string =>
  createHash('sha256')
    .update([...migrations, ...functions].map(({ checksum }) => checksum).join())
    .digest('hex');

/**
 * The same digest for the scripts recorded in the database: a process of an older version keeps serving while the next
 * one is deployed.
 */
const digestOfLedger = sql`encode(sha256(convert_to(
  (SELECT string_agg(checksum, ',' ORDER BY migration_name COLLATE "C") FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL)
  || ',' || (SELECT string_agg(checksum, ',' ORDER BY name COLLATE "C") FROM function_files), 'UTF8')), 'hex')`;

/**
 * The shards of shops on a node, each with the comment of the schema that all its triggers call: one query per node,
 * however many shards it has.
 */
const copiesOnNode = `
  SELECT string_agg(shard || ' ' || copies, ',')
    FROM (SELECT right(relname, -6) AS shard, CASE WHEN min(comment) = max(comment) THEN min(comment) END AS copies
            FROM (SELECT c.relname, coalesce(obj_description(p.pronamespace, 'pg_namespace'), 'none') AS comment
                    FROM pg_class AS c JOIN pg_trigger AS t ON t.tgrelid = c.oid JOIN pg_proc AS p ON p.oid = t.tgfoid
                   WHERE c.relnamespace = 'public'::regnamespace AND c.relname ~ '^shops_[0-9]+$' AND NOT t.tgisinternal) AS t
           GROUP BY relname) AS s`;

/** How many shards of shops have other triggers than those of this database's scripts, or cannot be queried. */
export const countShardsWithoutCopies = sql`
  WITH found AS MATERIALIZED (
    SELECT nodeid, unnest(string_to_array(result, ',')) AS shard FROM run_command_on_all_nodes(${copiesOnNode}) WHERE success
  ), wanted AS MATERIALIZED (SELECT ${digestOfLedger} AS copies)
  SELECT count(*)::text
    FROM pg_dist_shard AS s JOIN pg_dist_placement AS p USING (shardid) JOIN pg_dist_node AS n USING (groupid)
   WHERE s.logicalrelid = to_regclass('public.shops') AND n.noderole = 'primary'
     AND NOT EXISTS (SELECT FROM found, wanted WHERE found.nodeid = n.nodeid AND found.shard = s.shardid || ' ' || wanted.copies)`;

/** A name of the schema public or of a trigger, which begins with its table: `ALL` and `IF` have no underscore. */
const names = /\bpublic\.(\w+)|(?<=\bTRIGGER (?:IF EXISTS )?)([a-z]+_\w+)/g;

/** A file of functions, rewritten for a group: with its tables, functions and trigger names. */
function renderFile({ sql }: Script, { schema, shards }: ShardGroup, copied: ReadonlySet<string>): string {
  return sql.replaceAll(names, (text, name: string | undefined, trigger: string | undefined) => {
    if (trigger !== undefined) return `${trigger}_${shards[tableOfTrigger(trigger)] as string}`;
    if (name === undefined) return text;
    const shard = shards[name];
    if (shard !== undefined) return `public.${name}_${shard}`;
    return copied.has(name) ? `${schema}.${name}` : text;
  });
}

/** The longest name, because `visible_sets` and `visible_moves` have more than one word. */
const tableOfTrigger = (trigger: string): string =>
  shardedTables
    .filter((table) => trigger.startsWith(`${table}_`))
    .sort((one, other) => other.length - one.length)[0] as string;

/**
 * The statements that create or replace the copies of a group. Views with the tables' own names let programs that work
 * inside one group (imports, exports, checks) send the same statements as to plain PostgreSQL: their search path begins
 * with the schema. The views expose the system columns that those statements use and grant no privilege: that of the
 * shard applies.
 */
export function renderCopies(scripts: Scripts, group: ShardGroup): string {
  const copied = new Set(functionsOf(scripts.functions));
  const { schema, shards } = group;
  return [
    `CREATE SCHEMA IF NOT EXISTS ${schema}; GRANT USAGE ON SCHEMA ${schema} TO PUBLIC;`,
    ...Object.entries(shards).map(
      ([table, shard]) => `DROP VIEW IF EXISTS ${schema}.${table};
        CREATE VIEW ${schema}.${table} WITH (security_invoker) AS SELECT *${withSystemColumns.has(table) ? ', ctid, tableoid' : ''} FROM public.${table}_${shard};
        GRANT ALL ON ${schema}.${table} TO PUBLIC;`,
    ),
    ...scripts.functions.map((file) => renderFile(file, group, copied)),
    `COMMENT ON SCHEMA ${schema} IS '${digestOf(scripts)}';`,
  ].join('\n');
}

/** Those of the groups on a node whose triggers are not copies made from these scripts. */
export async function withoutCopies<Group extends ShardGroup>(
  node: Pick<ClientBase, 'query'>,
  scripts: Scripts,
  groups: readonly Group[],
): Promise<Group[]> {
  const { rows } = await node.query<{ found: string | null }>(`SELECT (${copiesOnNode}) AS found`);
  const found = rows[0]?.found?.split(',');
  return groups.filter(({ shards }) => found?.includes(`${shards['shops']} ${digestOf(scripts)}`) !== true);
}
