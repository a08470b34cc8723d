import type { Client } from 'pg';
import { readScripts } from '../../src/database/migration-files';
import type { ShardGroup } from '../../src/database/sharding/shard-copies';
import { renderCopies, shardedTables } from '../../src/database/sharding/shard-copies';

/**
 * A group as Citus makes it on a node: tables with numbers in their names, which have the same columns, keys and
 * indexes.
 */
export async function createShardGroup(client: Client, first: number): Promise<ShardGroup> {
  const shards = Object.fromEntries(shardedTables.map((table, at) => [table, String(first + at)]));
  for (const [table, shard] of Object.entries(shards)) {
    await client.query(`CREATE TABLE public.${table}_${shard} (LIKE public.${table} INCLUDING ALL)`);
  }
  const { rows } = await client.query<{ table: string; definition: string }>(
    `SELECT conrelid::regclass::text AS "table", pg_get_constraintdef(oid) AS definition FROM pg_constraint
      WHERE contype = 'f' AND conrelid = ANY ($1::regclass[])`,
    [shardedTables],
  );
  for (const { table, definition } of rows) {
    const own = definition.replace(
      /REFERENCES (\w+)/,
      (_, other: string) => `REFERENCES ${other}_${shards[other] ?? ''}`,
    );
    await client.query(`ALTER TABLE ${table}_${shards[table] ?? ''} ADD ${own}`);
  }
  const group = { schema: `shard_${first}`, shards };
  await client.query(renderCopies(readScripts(), group));
  return group;
}

/** From now on, table names refer to the group; without one, to the plain tables. */
export const enterGroup = (client: Client, group?: ShardGroup): Promise<unknown> =>
  client.query(`SET search_path = ${group === undefined ? '' : `${group.schema}, `}public`);
