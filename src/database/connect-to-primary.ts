import type { ClientConfig } from 'pg';
import { Client } from 'pg';
import type { ConnectionTarget } from '../config/connection-target';
import { notationSettings, parseConnectionTarget } from '../config/connection-target';
import { StandbyError } from './database-failure';

/**
 * Connects to the primary among the hosts of a URL, trying them sequentially. For work that needs a dedicated
 * connection. Sets only the given options and the notation of values. The caller closes the connection.
 * @throws StandbyError when only standbys answer; otherwise the driver's error for the last host
 */
export const connectToPrimary = async (url: string, options?: OptionsOfClient): Promise<Client> =>
  (await findPrimary(parseConnectionTarget(url), options)).client;

type OptionsOfClient = Omit<ClientConfig, 'connectionString'>;

/** Does the same and also returns which host is the primary. */
export async function findPrimary(
  { urls }: ConnectionTarget,
  options: OptionsOfClient = {},
): Promise<{ readonly client: Client; readonly host: number }> {
  let failure: unknown;
  for (const [host, connectionString] of urls.entries()) {
    const client = new Client({ ...options, connectionString });
    // A connection that breaks while it is idle must not end the process; the next statement reports it.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await requirePrimary(client);
      for (const [name, value] of Object.entries(notationSettings)) await client.query(`SET ${name} = ${value}`);
      return { client, host };
    } catch (error) {
      failure = error;
      // A server that hangs does not respond to this either, so it is not awaited.
      client.end().catch(() => undefined);
    }
  }
  throw failure;
}

/**
 * Rejects standbys. A standby answers every query, but with old data: a key that was revoked on the primary would
 * remain valid for as long as the standby lags.
 * @throws StandbyError
 */
export async function requirePrimary(client: Pick<Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ is_standby: boolean }>('SELECT pg_is_in_recovery() AS is_standby');
  if (rows[0]?.is_standby === true) throw new StandbyError();
}
