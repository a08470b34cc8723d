import type { ClientConfig, PoolClient } from 'pg';
import { Client } from 'pg';
import type { ConnectionTarget, SessionOptions } from '../config/connection-target';
import { notationSettings, parseConnectionTarget, toSessionUrl } from '../config/connection-target';
import { StandbyError } from './database-failure';
import { hasCitusSql } from './sharding/shard-groups';
import { requireStartupOptions } from './pooler';

/**
 * Connects to the primary among the hosts of a URL, trying them sequentially. For work that needs a dedicated
 * connection. Sets only the given options and the notation of values. The caller closes the connection.
 * @throws StandbyError when only standbys answer; otherwise the driver's error for the last host
 */
export const connectToPrimary = async (url: string, options?: OptionsOfClient): Promise<Client> =>
  (await findPrimary(parseConnectionTarget(url), options)).client;

/**
 * Without a delay, the system's two hours apply. Proxies drop idle connections after minutes without a word; a server
 * that loses power is silent, too.
 */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

type OptionsOfClient = Omit<ClientConfig, 'connectionString'>;

/** Does the same and also returns which host is the primary. */
export async function findPrimary(
  { urls }: ConnectionTarget,
  options: OptionsOfClient = {},
): Promise<{ readonly client: Client; readonly host: number }> {
  let failure: unknown;
  for (const [host, connectionString] of urls.entries()) {
    const client = new Client({ ...keepAlive, ...options, connectionString });
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
async function requirePrimary(client: Pick<Client, 'query'>): Promise<void> {
  // Freeing a megabyte makes glibc keep the memory of later statements, whose every page would fault it in anew.
  const { rows } = await client.query<{ is_standby: boolean }>(
    "SELECT pg_is_in_recovery() AS is_standby, length(repeat(' ', 1000000))",
  );
  if (rows[0]?.is_standby === true) throw new StandbyError();
}

interface HostChoiceOptions extends SessionOptions {
  /** Whether the target is a replica, which is read although it is a standby. */
  readonly isReplica: boolean;
}

/** Options with which pg-pool creates and verifies its connections. */
interface HostChoice {
  readonly Client: typeof Client;
  readonly verify: (client: PoolClient, done: (error?: Error) => void) => void;
}

/**
 * Citus knows the node of a shop only while it plans: under a generic plan it ends with "could not create distributed
 * plan".
 */
const planForShards = `
  SELECT set_config('plan_cache_mode', 'force_custom_plan', false) WHERE ${hasCitusSql}`;

/**
 * New connections go to the host that was last found to be the primary. When it cannot be reached, or is a standby, the
 * next connection tries the next host. So a process finds the promoted standby after a failover without a restart.
 * @param first Index of the host that is tried first.
 */
export function createHostChoice(target: ConnectionTarget, first: number, options: HostChoiceOptions): HostChoice {
  const hosts = target.urls.map((url) => ({ connectionString: toSessionUrl(target, url, options) }));
  let current = first;
  /** Connections that were opened together fail together and count once. */
  const leave = (host: number): void => {
    if (host === current) current = (current + 1) % hosts.length;
  };
  class HostClient extends Client {
    readonly hostIndex: number;

    constructor(config: ClientConfig) {
      const host = current;
      super({ ...config, ...hosts[host] });
      this.hostIndex = host;
    }

    override connect(): Promise<this>;
    override connect(callback: (error: Error) => void): void;
    // pg-pool passes a callback, and nothing else connects these clients.
    override connect(callback?: (error: Error) => void): Promise<this> | void {
      super.connect((error: Error | null | undefined) => {
        if (error) leave(this.hostIndex);
        callback?.(error as Error);
      });
    }
  }

  return {
    Client: HostClient,
    verify(client, done) {
      const check = async (): Promise<void> => {
        await requireStartupOptions(client, target);
        if (!options.isReplica) await requirePrimary(client);
        if (!target.isPooled) await client.query(planForShards);
      };
      check().then(
        () => done(),
        (error: Error) => {
          leave((client as unknown as HostClient).hostIndex);
          done(error);
        },
      );
    },
  };
}
