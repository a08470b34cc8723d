import { Client } from 'pg';
import type { TestDatabase } from './test-database';

/** While `work` runs, the database takes no connections and has none: to the service it is away. */
export async function duringOutage<Result>({ url }: TestDatabase, work: () => Promise<Result>): Promise<Result> {
  const name = new URL(url).pathname.slice(1);
  const client = new Client({ connectionString: process.env['TEST_SERVER_URL'] });
  await client.connect();
  try {
    await client.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    return await work();
  } finally {
    await client.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
    await client.end();
  }
}
