import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import type { ConnectionTarget, SessionOptions } from '../config/connection-target';
import { arrivalMark, sessionSettings } from '../config/connection-target';

/**
 * A pooler, or the role behind it, with which the service would return wrong results or be slow. The message says what
 * to change.
 */
export class PoolerError extends Error {
  override readonly name = 'PoolerError';
}

/**
 * Checks that the start-up options of a connection arrived. PgBouncer drops those named in `ignore_startup_parameters`
 * and says nothing: then no limit of time holds, plans are others, and with prepared statements most answers are 500.
 * @throws PoolerError
 */
export async function requireStartupOptions(
  client: Pick<Client, 'query'>,
  { isPooled }: Pick<ConnectionTarget, 'isPooled'>,
  { statementTimeoutMilliseconds }: SessionOptions,
): Promise<void> {
  if (isPooled) return;
  const { rows } = await client.query<{ mark: string | null }>('SELECT current_setting($1, true) AS mark', [
    arrivalMark.name,
  ]);
  if (rows[0]?.mark === arrivalMark.value) return;
  const wanted = {
    ...(statementTimeoutMilliseconds !== undefined && { statement_timeout: `${statementTimeoutMilliseconds}ms` }),
    ...sessionSettings,
  };
  const { rows: found } = await client.query<{ name: string; value: string }>(
    'SELECT name, current_setting(name) AS value FROM unnest($1::text[]) AS name',
    [Object.keys(wanted)],
  );
  const values = new Map(found.map(({ name, value }) => [name, value]));
  const differing = Object.entries(wanted).filter(([name, value]) => values.get(name) !== value);
  const described = differing.map(([name, value]) => `${name} is ${values.get(name) ?? 'not set'}, expected ${value}`);
  throw new PoolerError(
    `a pooler in front of it drops the start-up options of connections${described.length > 0 ? ` (${described.join('; ')})` : ''}: ` +
      'connect directly, or use PgBouncer 1.21 or newer in transaction mode, take the options out of its ' +
      'ignore_startup_parameters, run docs/deploy/pooler-settings.sql and add pgbouncer=true to DATABASE_URL',
  );
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
      'the pooler does not pass prepared statements on: it has to be PgBouncer 1.21 or newer in transaction mode, ' +
        'with max_prepared_statements of 200 or more (without a pooler leave pgbouncer=true out of DATABASE_URL)',
    );
  }
  const wanted = Object.entries(sessionSettings);
  const { rows } = await client.query<{ login: string; found: string[]; has_limit: boolean }>(
    `SELECT current_user AS login, current_setting('statement_timeout') <> '0' AS has_limit,
            array(SELECT current_setting(name) FROM unnest($1::text[]) WITH ORDINALITY AS wanted (name, at) ORDER BY at) AS found`,
    [wanted.map(([name_]) => name_)],
  );
  const { login, found, has_limit: hasLimit } = rows[0] as (typeof rows)[number];
  const missing = [
    ...wanted.filter(([, value], index) => found[index] !== value).map(([name_, value]) => `${name_} = '${value}'`),
    ...(hasLimit ? [] : ["statement_timeout = '1200ms'"]),
  ];
  if (missing.length > 0) {
    throw new PoolerError(
      `behind a pooler the role has to hold the settings of its sessions, and ${login} lacks ${missing.join(', ')}: ` +
        'run docs/deploy/pooler-settings.sql as the owner of the role, then RECONNECT in the pooler',
    );
  }
}
