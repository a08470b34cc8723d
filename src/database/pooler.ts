import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import type { ConnectionTarget } from '../config/connection-target';
import { arrivalMark, sessionSettings } from '../config/connection-target';

/**
 * A pooler, or the role behind it, with which the service would return wrong results or be slow. The message says what
 * to change.
 */
export class PoolerError extends Error {
  override readonly name = 'PoolerError';
}

/**
 * Checks that the startup options of a connection arrived. PgBouncer silently drops those listed in
 * `ignore_startup_parameters`: then no time limit applies, plans differ, and with prepared statements most responses
 * are 500.
 * @throws PoolerError
 */
export async function requireStartupOptions(
  client: Pick<Client, 'query'>,
  { isPooled }: Pick<ConnectionTarget, 'isPooled'>,
): Promise<void> {
  if (isPooled || (await readDiffering(client, arrivalMark)).length === 0) return;
  throw new PoolerError(
    'a connection pooler ignores connection startup options: ' +
      'connect directly, or use PgBouncer 1.21 or newer in transaction mode, remove the options from its ' +
      'ignore_startup_parameters, run docs/deploy/pooler-settings.sql and add pgbouncer=true to DATABASE_URL, or to DATABASE_REPLICA_URLS for a replica',
  );
}

/** Those of the settings that the session has with another value. */
async function readDiffering(client: Pick<Client, 'query'>, settings: Readonly<Record<string, string>>) {
  const { rows } = await client.query<{ name: string; wanted: string }>(
    `SELECT name, wanted FROM unnest($1::text[], $2::text[]) AS own (name, wanted)
      WHERE current_setting(name, true) IS DISTINCT FROM wanted`,
    [Object.keys(settings), Object.values(settings)],
  );
  return rows;
}

/**
 * Checks once, at startup, the requirements for a pooler in transaction mode.
 *
 * - Prepared statements are passed on (PgBouncer since 1.21, with max_prepared_statements above 0): then the pooler
 *   gives each statement its own name on the server. A pooler without that support may send a name over a connection
 *   that does not have it.
 * - The role holds the settings that a session would set, and a limit for its statements.
 * @throws PoolerError
 */
export async function checkPooler(client: Client): Promise<void> {
  const name = `catalog_probe_${randomBytes(8).toString('hex')}`;
  await client.query('BEGIN');
  await client.query({ name, text: 'SELECT 1' });
  const { rows: known } = await client.query('SELECT FROM pg_prepared_statements WHERE name = $1', [name]);
  await client.query('ROLLBACK');
  if (known.length > 0) {
    throw new PoolerError(
      'the pooler does not support prepared statements: use PgBouncer 1.21 or newer in transaction mode, ' +
        'with max_prepared_statements of 200 or more (without a pooler, remove pgbouncer=true from DATABASE_URL)',
    );
  }
  const missing = (await readDiffering(client, sessionSettings)).map((own) => `${own.name} = '${own.wanted}'`);
  const { rows } = await client.query<{ login: string; limit: string }>(
    "SELECT current_user AS login, current_setting('statement_timeout') AS limit",
  );
  if (rows[0]?.limit === '0') missing.push("statement_timeout = '1200ms'");
  if (missing.length === 0) return;
  throw new PoolerError(
    `behind a pooler, the session settings must be set on the role, and ${rows[0]?.login} lacks ${missing.join(', ')}: ` +
      'run docs/deploy/pooler-settings.sql as a role that may alter it, then RECONNECT in the pooler',
  );
}
