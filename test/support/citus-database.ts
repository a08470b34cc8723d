import { migrate } from '../../src/database/migrate';
import { distribute } from '../../src/database/sharding/distribute';
import { toNodeUrl } from '../../src/database/sharding/shard-groups';
import { runStatements } from './run-statements';

/**
 * The coordinator of a Citus cluster, as a superuser who may create databases on each node. Without it tests use plain
 * PostgreSQL.
 */
export const citusUrl = process.env['TEST_CITUS_URL'];

interface Node {
  readonly nodename: string;
  readonly nodeport: number;
  readonly groupid: number;
}

const readNodes = (url: string): Promise<Node[]> =>
  runStatements<Node>(url, 'SELECT nodename, nodeport, groupid FROM pg_dist_node WHERE isactive ORDER BY groupid');

const withDatabase = (url: string, name: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href;

/** A migrated and distributed database on all nodes of the cluster. Shops can be written by plain SQL. */
export async function createCitusDatabase(coordinator: string, name: string): Promise<string> {
  const nodes = await readNodes(coordinator);
  const url = withDatabase(coordinator, name);
  for (const { nodename, nodeport } of nodes) {
    const node = toNodeUrl(coordinator, `${nodename}:${nodeport}`);
    await runStatements(
      node,
      'SET citus.enable_create_database_propagation = off',
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`,
    );
    await runStatements(withDatabase(node, name), 'CREATE EXTENSION citus');
  }
  const [first, ...workers] = nodes;
  await runStatements(
    url,
    `SELECT citus_set_coordinator_host('${first?.nodename ?? ''}', ${first?.nodeport ?? 0})`,
    ...workers.map(({ nodename, nodeport }) => `SELECT citus_add_node('${nodename}', ${nodeport})`),
  );
  await migrate(url);
  await distribute(url);
  await runStatements(url, 'ALTER TABLE shops DROP CONSTRAINT shops_domain_fkey');
  return url;
}

export async function dropCitusDatabase(coordinator: string, name: string): Promise<void> {
  for (const { nodename, nodeport } of (await readNodes(coordinator)).reverse()) {
    await runStatements(
      toNodeUrl(coordinator, `${nodename}:${nodeport}`),
      `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`,
    );
  }
}
