import type { OwnPostgres } from '../support/own-postgres';
import { serviceRole } from '../support/own-postgres';
import { runStatements } from '../support/run-statements';
import { Client } from 'pg';

/** A fault of the database, or of the network to it, while requests arrive. */
export interface DatabaseFault {
  readonly name: string;
  /** Whether no request can be answered during the fault; otherwise some may be. */
  readonly isOutage: boolean;
  /** What the service must have logged, where responses alone do not prove that it met the fault. */
  readonly isLogged?: string;
  begin(postgres: OwnPostgres): unknown;
  end(postgres: OwnPostgres): unknown;
}

const nothing = (): void => undefined;
const aside = (url: string): string => Object.assign(new URL(url), { pathname: '/template1' }).href;
const terminateAll = (which = 'true') => `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = 'postgres' AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND ${which}`;

const ours = `usename = '${serviceRole}' AND application_name <> 'other'`;

const held: Client[] = [];
const releaseHeld = async (): Promise<void> => {
  await Promise.all(held.splice(0).map((client) => client.end()));
};

/** A connection of another client with the same rights as the service; undefined if the server has none left. */
async function takeConnection(url: string): Promise<Client | undefined> {
  const client = new Client({ connectionString: url, application_name: 'other' });
  client.on('error', () => undefined);
  return client.connect().then(
    () => client,
    () => undefined,
  );
}

export const databaseFaults: readonly DatabaseFault[] = [
  {
    name: 'every backend terminated',
    isOutage: false,
    begin: ({ url }) => runStatements(aside(url), terminateAll()),
    end: nothing,
  },
  { name: 'server stopped', isOutage: true, begin: (postgres) => postgres.stop(), end: (postgres) => postgres.start() },
  {
    name: 'server restarted at once',
    isOutage: false,
    async begin(postgres) {
      await postgres.stop();
      await postgres.start();
    },
    end: nothing,
  },
  {
    name: 'server process of a connection killed (SIGKILL): crash recovery',
    isOutage: false,
    begin: (postgres) => postgres.killOneBackend(),
    end: nothing,
  },
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
      await runStatements(aside(url), 'ALTER DATABASE postgres ALLOW_CONNECTIONS false');
      await runStatements(aside(url), terminateAll());
    },
    end: ({ url }) => runStatements(aside(url), 'ALTER DATABASE postgres ALLOW_CONNECTIONS true'),
  },
  {
    name: 'no connection left for the service',
    isOutage: true,
    async begin({ url }) {
      await runStatements(aside(url), `ALTER ROLE ${serviceRole} CONNECTION LIMIT 0`);
      await runStatements(aside(url), terminateAll());
    },
    end: ({ url }) => runStatements(aside(url), `ALTER ROLE ${serviceRole} CONNECTION LIMIT -1`),
  },
  {
    name: 'server full of other clients (max_connections)',
    isOutage: true,
    async begin({ url, serviceUrl }) {
      const admin = new Client({ connectionString: aside(url) });
      await admin.connect();
      // Our connections are ended while others open, again and again until none of ours is left: the service reuses
      // free ones. A connection that is just opening is not visible yet, hence three times.
      let quiet = 0;
      while (quiet < 3) {
        await admin.query(terminateAll(ours));
        const others = await Promise.all(Array.from({ length: 50 }, () => takeConnection(serviceUrl)));
        held.push(...others.filter((client) => client !== undefined));
        const left = await admin.query(`SELECT FROM pg_stat_activity WHERE ${ours}`);
        quiet = left.rowCount === 0 && others.includes(undefined) ? quiet + 1 : 0;
      }
      await admin.end();
    },
    end: releaseHeld,
  },
  {
    name: 'tables locked (every statement waits)',
    isOutage: true,
    async begin({ url }) {
      const client = new Client({ connectionString: url });
      client.on('error', () => undefined);
      await client.connect();
      // A statement that holds one of the tables and waits for the other is in a deadlock with this one, and PostgreSQL
      // ends that statement.
      await client.query("SET deadlock_timeout = '1min'; BEGIN; LOCK TABLE shops, products IN ACCESS EXCLUSIVE MODE");
      held.push(client);
    },
    end: releaseHeld,
  },
  {
    name: 'read-only (default_transaction_read_only)',
    isOutage: false,
    async begin({ url }) {
      await runStatements(aside(url), 'ALTER DATABASE postgres SET default_transaction_read_only = on');
      await runStatements(aside(url), terminateAll());
    },
    end: ({ url }) => runStatements(aside(url), 'ALTER DATABASE postgres RESET default_transaction_read_only'),
  },
];

let shaking: NodeJS.Timeout | undefined;

/** On the network between the service and a healthy server. */
export const networkFaults: readonly DatabaseFault[] = [
  {
    name: 'network: 30 ms later in either direction',
    isOutage: false,
    begin: ({ wire }) => wire.slowDown(30),
    end: ({ wire }) => wire.slowDown(0),
  },
  {
    name: 'network: five seconds later in either direction',
    isOutage: true,
    begin: ({ wire }) => wire.slowDown(5_000),
    end: ({ wire }) => wire.slowDown(0),
  },
  {
    name: 'network: a connection reset every 20 ms',
    isOutage: false,
    begin({ wire }) {
      shaking = setInterval(() => wire.resetOne(), 20);
    },
    end() {
      clearInterval(shaking);
    },
  },
  {
    name: 'network: cut',
    isOutage: true,
    begin: ({ wire }) => wire.cut(),
    end: ({ wire }) => wire.mend(),
  },
];
