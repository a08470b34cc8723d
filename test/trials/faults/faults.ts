import { redisMissing } from '../../rate-limit/redis-server';
import { replicationMissing } from '../../support/native-replication';
import { poolerMissing } from '../../support/pgbouncer';
import type { Trial, TrialRow } from '../trial';
import type { RunSize } from './measure-database-faults';
import { measureDatabaseFaults, measureNetworkFaults } from './measure-database-faults';
import { measureFailoverFaults } from './measure-failover-faults';
import { measureMigrationFaults } from './measure-migration-faults';
import { measureNoisyShop } from './measure-noisy-shop';
import { measureOverload } from './measure-overload';
import { measurePoolerFaults } from './measure-pooler-faults';
import { measureProcessFaults } from './measure-process-faults';
import { measureRedisFaults } from './measure-redis-faults';
import { measureReplicaFaults } from './measure-replica-faults';
import type { Oracle } from '../support/oracle';
import { seedOracle } from '../support/oracle';
import type { OwnPostgres } from '../support/own-postgres';
import { startOwnPostgres } from '../support/own-postgres';
import { killServiceProcesses } from '../../support/service-process';
import { startTimeBounds } from './time-bounds';

const clients = 16;
/** How long a fault lasts: for the table, and for a check, which only has to exceed the duration of a request. */
const lastsMilliseconds = { table: 4_000, check: 1_500 };

/** What happens, and why it cannot be tried here, if so. In the order of the table. */
const groups: Readonly<
  Record<
    string,
    { measure(postgres: OwnPostgres, oracle: Oracle, run: RunSize): Promise<TrialRow[]>; missing?: string | undefined }
  >
> = {
  database: { measure: measureDatabaseFaults },
  network: { measure: measureNetworkFaults },
  overload: { measure: measureOverload },
  migration: { measure: ({ url }) => measureMigrationFaults(url) },
  processes: { measure: ({ serviceUrl }, oracle) => measureProcessFaults(serviceUrl, oracle, clients) },
  noisy: { measure: (postgres, _oracle, { lastsMilliseconds }) => measureNoisyShop(postgres, lastsMilliseconds) },
  replicas: { measure: (_postgres, _oracle, run) => measureReplicaFaults(run), missing: replicationMissing },
  failover: { measure: (_postgres, _oracle, run) => measureFailoverFaults(run), missing: replicationMissing },
  pooler: { measure: measurePoolerFaults, missing: poolerMissing },
  redis: { measure: measureRedisFaults, missing: redisMissing },
};

/** Injects faults under load; its parts are the groups above. */
export const trial: Trial = {
  what: 'faults of databases, networks, Redis and processes under load',
  parts: Object.keys(groups),
  async run({ parts, isShort }, report) {
    const run = isShort
      ? { clients, lastsMilliseconds: lastsMilliseconds.check, pauseMilliseconds: 20 }
      : { clients, lastsMilliseconds: lastsMilliseconds.table };
    const postgres = await startOwnPostgres();
    try {
      const oracle = await seedOracle(postgres.sql);
      for (const [name, { missing, measure }] of Object.entries(groups)) {
        if (!parts.includes(name)) continue;
        if (missing !== undefined) process.stderr.write(`Left out: ${name}, because ${missing}\n`);
        else {
          startTimeBounds();
          (await measure(postgres, oracle, run)).forEach(report);
        }
      }
    } finally {
      await killServiceProcesses();
      await postgres.remove();
    }
  },
};
