import { replicationMissing } from '../../test/support/native-replication';
import type { Oracle } from '../../test/support/oracle';
import { seedOracle } from '../../test/support/oracle';
import type { OwnPostgres } from '../../test/support/own-postgres';
import { startOwnPostgres } from '../../test/support/own-postgres';
import { poolerMissing } from '../../test/support/pgbouncer';
import { killServiceProcesses } from '../../test/support/service-process';
import { startTimeBounds } from '../../test/support/time-bounds';
import type { Trial, TrialRow } from '../trial';
import { measureFailoverFaults } from './measure-failover-faults';
import { measureOverload } from './measure-overload';
import { measurePoolerFaults } from './measure-pooler-faults';
import { measureReplicaFaults } from './measure-replica-faults';
import type { RunSize } from './outage-row';

const clients = 16;
/** How long a fault lasts: for the table, and for a check, which only has to exceed the duration of a request. */
const lastsMilliseconds = { table: 4_000, check: 1_500 };

/** The groups of faults, and why one cannot be tried here, if so. */
const groups: Readonly<
  Record<
    string,
    { measure(postgres: OwnPostgres, oracle: Oracle, run: RunSize): Promise<TrialRow[]>; missing?: string | undefined }
  >
> = {
  overload: { measure: measureOverload },
  replicas: { measure: (_postgres, _oracle, run) => measureReplicaFaults(run), missing: replicationMissing },
  failover: { measure: (_postgres, _oracle, run) => measureFailoverFaults(run), missing: replicationMissing },
  pooler: { measure: measurePoolerFaults, missing: poolerMissing },
};

/** Injects the faults that need a machine or programs of their own; the others are in test/faults. */
export const trial: Trial = {
  what: 'overload, and faults of replicas, primaries and poolers under load',
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
