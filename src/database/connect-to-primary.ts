import type { ClientConfig } from 'pg';
import { Client } from 'pg';
import type { ConnectionTarget } from './connection-target';
import { parseConnectionTarget } from './connection-target';
import { StandbyError } from './standby-error';

/**
 * Connects to the host of a URL that is the primary, trying each in turn: for what needs a connection of its own. Nothing is set on it
 * but what is given. The caller ends it.
 * @throws StandbyError when only standbys answer; what the driver throws for the last host
 */
export const connectToPrimary = async (url: string, options?: OptionsOfClient): Promise<Client> =>
  (await findPrimary(parseConnectionTarget(url), options)).client;

type OptionsOfClient = Omit<ClientConfig, 'connectionString'>;

/** The same, and which of the hosts it is. */
export async function findPrimary(
  { urls }: ConnectionTarget,
  options: OptionsOfClient = {},
): Promise<{ readonly client: Client; readonly host: number }> {
  let failure: unknown;
  for (const [host, connectionString] of urls.entries()) {
    const client = new Client({ ...options, connectionString });
    // A connection that breaks while nothing is asked of it must not end the process; the next statement reports it.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await demandPrimary(client);
      return { client, host };
    } catch (error) {
      failure = error;
      // A server that hangs does not say goodbye either, so the end is not awaited.
      client.end().catch(() => undefined);
    }
  }
  throw failure;
}

/**
 * A standby answers everything, only from the past: a key that was revoked on the primary would be good for as long as it lags.
 * @throws StandbyError
 */
export async function demandPrimary(client: Pick<Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ is_standby: boolean }>('SELECT pg_is_in_recovery() AS is_standby');
  if (rows[0]?.is_standby === true) throw new StandbyError();
}
