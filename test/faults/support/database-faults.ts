import type { OwnPostgres } from './own-postgres';
import { runOn, serviceRole } from './own-postgres';
import { Client } from 'pg';

/** Something that happens to the database while requests come in. */
export interface DatabaseFault {
  readonly name: string;
  /** Whether requests cannot be answered while it lasts; else they may be. */
  readonly isOutage: boolean;
  begin(postgres: OwnPostgres): Promise<void>;
  end(postgres: OwnPostgres): Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();
const aside = (url: string): string => Object.assign(new URL(url), { pathname: '/template1' }).href;
const terminateAll = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = 'postgres' AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;

const held: Client[] = [];

export const databaseFaults: readonly DatabaseFault[] = [
  {
    name: 'every backend terminated',
    isOutage: false,
    begin: ({ url }) => runOn(aside(url), terminateAll),
    end: nothing,
  },
  { name: 'server stopped', isOutage: true, begin: (postgres) => postgres.stop(), end: (postgres) => postgres.start() },
  {
    name: 'server paused (SIGSTOP)',
    isOutage: true,
    begin: (postgres) => postgres.signalAll('SIGSTOP'),
    end: (postgres) => postgres.signalAll('SIGCONT'),
  },
  {
    name: 'database closed to connections (ALLOW_CONNECTIONS false)',
    isOutage: true,
    async begin({ url }) {
      await runOn(aside(url), 'ALTER DATABASE postgres ALLOW_CONNECTIONS false');
      await runOn(aside(url), terminateAll);
    },
    end: ({ url }) => runOn(aside(url), 'ALTER DATABASE postgres ALLOW_CONNECTIONS true'),
  },
  {
    name: 'no connection left for the service',
    isOutage: true,
    async begin({ url }) {
      await runOn(aside(url), `ALTER ROLE ${serviceRole} CONNECTION LIMIT 0`);
      await runOn(aside(url), terminateAll);
    },
    end: ({ url }) => runOn(aside(url), `ALTER ROLE ${serviceRole} CONNECTION LIMIT -1`),
  },
  {
    name: 'tables locked (every statement waits)',
    isOutage: true,
    async begin({ url }) {
      const client = new Client({ connectionString: url });
      client.on('error', () => undefined);
      await client.connect();
      await client.query('BEGIN; LOCK TABLE shops, products IN ACCESS EXCLUSIVE MODE');
      held.push(client);
    },
    async end() {
      await Promise.all(held.splice(0).map((client) => client.end()));
    },
  },
  {
    name: 'read-only (default_transaction_read_only)',
    isOutage: false,
    async begin({ url }) {
      await runOn(aside(url), 'ALTER DATABASE postgres SET default_transaction_read_only = on');
      await runOn(aside(url), terminateAll);
    },
    end: ({ url }) => runOn(aside(url), 'ALTER DATABASE postgres RESET default_transaction_read_only'),
  },
];
