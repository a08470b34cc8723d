import type { ClientConfig, PoolClient } from 'pg';
import { Client } from 'pg';
import { requirePrimary } from './connect-to-primary';
import type { ConnectionTarget, SessionOptions } from '../config/connection-target';
import { toSessionUrl } from '../config/connection-target';
import { hasCitusSql } from './sharding/shard-groups';
import { requireStartupOptions } from './pooler';

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
        await requireStartupOptions(client, target, options);
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
