import type { ClientBase, DatabaseError } from 'pg';
import { parseConnectionTarget } from '../../config/connection-target';
import { readJson } from '../read-json';
import type { Database } from '../database';
import { rawSql, sql } from '../sql';
import type { ShardGroup } from './shard-copies';
import { shardedTables } from './shard-copies';

type Query = Pick<ClientBase, 'query'>;

/** A group of shards, and the node that has it. */
export interface GroupPlacement extends ShardGroup {
  /** `host:port`, as Citus knows the node. */
  readonly node: string;
}

/** An expression of SQL: whether the database has Citus. */
export const hasCitusSql = "(to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL)";

/** Whether the service's database has Citus, with distributed tables or without. */
export const usesCitus = async (database: Pick<Database, 'readRows'>): Promise<boolean> =>
  (await readJson<boolean>(database, sql`SELECT ${rawSql(hasCitusSql)}::text`)) === true;

/** The same for one connection. */
export async function hasCitus(client: Query): Promise<boolean> {
  const { rows } = await client.query<{ has: boolean }>(`SELECT ${hasCitusSql} AS has`);
  return rows[0]?.has === true;
}

/** Whether the database has Citus and its tables are distributed. */
export async function isDistributed(client: Query): Promise<boolean> {
  if (!(await hasCitus(client))) return false;
  return (await readDistributedTables(client)).includes('shops');
}

/** The shop tables that are distributed. */
export async function readDistributedTables(client: Query): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT t.name FROM unnest($1::text[]) AS t (name) JOIN pg_dist_partition AS p ON p.logicalrelid = to_regclass('public.' || t.name)`,
    [shardedTables],
  );
  return rows.map(({ name }) => name);
}

/** All groups by node; with a shop's id, the one of that shop. */
export async function readGroups(client: Query, shopId?: string): Promise<GroupPlacement[]> {
  const { rows } = await client.query<{ shop_shard: string; node: string; tables: string[]; shards: string[] }>(
    `SELECT s.shardid::text AS shop_shard, p.nodename || ':' || p.nodeport AS node,
            array_agg(t.name ORDER BY t.ordinal) AS tables, array_agg(own.shardid::text ORDER BY t.ordinal) AS shards
       FROM pg_dist_shard AS s
       JOIN pg_dist_shard_placement AS p ON p.shardid = s.shardid AND p.shardstate = 1
      CROSS JOIN unnest($1::text[]) WITH ORDINALITY AS t (name, ordinal)
       JOIN pg_dist_shard AS own ON own.logicalrelid = to_regclass('public.' || t.name) AND own.shardminvalue = s.shardminvalue
      WHERE s.logicalrelid = to_regclass('public.shops')
        AND ($2::uuid IS NULL OR s.shardid = get_shard_id_for_distribution_column('public.shops', $2::uuid))
      GROUP BY 1, 2 ORDER BY 2, 1`,
    [shardedTables, shopId ?? null],
  );
  return rows.map(({ shop_shard, node, tables, shards }) => ({
    schema: `shard_${shop_shard}`,
    node,
    shards: Object.fromEntries(tables.map((table, at) => [table, shards[at] as string])),
  }));
}

/** The URL of a node: that of the database, with the node's host and port. */
export const toNodeUrl = (url: string, node: string): string =>
  Object.assign(new URL(parseConnectionTarget(url).urls[0]), { host: node }).href;

/** The constraint that refused a row, by its name on plain tables: on a shard it ends with the number of the shard. */
export const constraintOf = ({ constraint }: DatabaseError): string | undefined => constraint?.replace(/_\d+$/, '');
