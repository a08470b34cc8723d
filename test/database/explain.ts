import type { Client } from 'pg';
import type { Database } from '../../src/database/database';
import type { Sql } from '../../src/database/sql';
import { sql } from '../../src/database/sql';
import { readJson } from '../../src/database/read-json';
import { shardedTables } from '../../src/database/sharding/shard-copies';

/** A node of a plan, as EXPLAIN (FORMAT JSON) gives it. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** The settings of the service's connections, for a session that must get the same plans. */
export async function copySettings(from: Database, to: Client): Promise<void> {
  const settings = await readJson<Record<string, string>>(
    from,
    sql`SELECT json_object_agg(name, setting)::text FROM pg_settings WHERE source = 'client'`,
  );
  for (const [name, value] of Object.entries(settings ?? {})) {
    await to.query('SELECT set_config($1, $2, false)', [name, name === 'work_mem' ? `${value}kB` : value]);
  }
}

let statements = 0;

/**
 * The plan that the server makes for the service, which prepares each statement by its text. Runs the statement by
 * default.
 */
export async function explain(client: Client, { text, values }: Sql, analyze = true): Promise<PlanNode> {
  statements += 1;
  const name = `statement_${statements}`;
  await client.query(`PREPARE ${name} AS ${text}`);
  const given = values.length === 0 ? '' : `(${values.map((value) => toLiteral(client, value)).join(', ')})`;
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (FORMAT JSON${analyze ? ', ANALYZE, BUFFERS, TIMING off' : ''}) EXECUTE ${name} ${given}`,
  );
  await client.query(`DEALLOCATE ${name}`);
  return (rows[0] as { 'QUERY PLAN': [{ Plan: PlanNode }] })['QUERY PLAN'][0].Plan;
}

const toLiteral = (client: Client, value: unknown): string =>
  value === null || value === undefined
    ? 'NULL'
    : client.escapeLiteral(
        Array.isArray(value)
          ? `{${value.map((item) => (item === null ? 'NULL' : JSON.stringify(String(item)))).join(',')}}`
          : typeof value === 'string'
            ? value
            : JSON.stringify(value),
      );

/** The node and everything below it. */
export const nodesOf = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** The tables of shops that a plan reads from one end to the other. */
export const seqScansOf = (plan: PlanNode): string[] =>
  nodesOf(plan).flatMap((node) => {
    const table = node['Relation Name'] ?? '';
    return node['Node Type'].includes('Seq Scan') && (shardedTables as readonly string[]).includes(table)
      ? [table]
      : [];
  });

/** The steps of a plan that sorted rows. */
export const sortsOf = (plan: PlanNode): readonly PlanNode[] =>
  nodesOf(plan).filter((node) => node['Node Type'].includes('Sort') && rowsSeenBy(node) > 0);

/** Rows that a node returned over all its runs. */
export const rowsOf = (node: PlanNode): number => (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0);

/** Rows that a node read over all its runs. */
export const rowsSeenBy = (node: PlanNode): number =>
  ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) *
  (node['Actual Loops'] ?? 0);

/**
 * Pages of tables and indexes that a node and everything below it read. Entries that an index scan skips count here,
 * but not as rows.
 */
export const pagesSeenBy = (node: PlanNode): number =>
  (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0);
