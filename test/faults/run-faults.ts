import { parseArgs } from 'node:util';
import { redisMissing } from '../rate-limit/redis-server';
import { replicationMissing } from '../support/native-replication';
import { poolerMissing } from '../support/pgbouncer';
import type { FaultRow } from './support/fault-table';
import { writeFaultTable } from './support/fault-table';
import type { RunSize } from './support/measure-database-faults';
import { measureDatabaseFaults, measureNetworkFaults } from './support/measure-database-faults';
import { measureFailoverFaults } from './support/measure-failover-faults';
import { measureMigrationFaults } from './support/measure-migration-faults';
import { measureNoisyShop } from './support/measure-noisy-shop';
import { measureOverload } from './support/measure-overload';
import { measurePoolerFaults } from './support/measure-pooler-faults';
import { measureProcessFaults } from './support/measure-process-faults';
import { measureRedisFaults } from './support/measure-redis-faults';
import { measureReplicaFaults } from './support/measure-replica-faults';
import type { Oracle } from './support/oracle';
import { seedOracle } from './support/oracle';
import type { OwnPostgres } from './support/own-postgres';
import { startOwnPostgres } from './support/own-postgres';
import { killServiceProcesses } from './support/service-process';
import { startTimeBounds } from './support/time-bounds';

const clients = 16;
/** How long a fault lasts: for the table, and for a check, which only has to exceed the duration of a request. */
const lastsMilliseconds = { table: 4_000, check: 1_500 };

/** What happens, and why it cannot be tried here, if so. In the order of the table. */
const groups: Readonly<
  Record<
    string,
    { measure(postgres: OwnPostgres, oracle: Oracle, run: RunSize): Promise<FaultRow[]>; missing?: string | undefined }
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

/**
 * `npm run faults`: injects faults under load and writes the results into docs/operations.md. With `-- --check` it
 * writes nothing and faults are shorter; names of groups after that select these groups only. Ends with 1 if a promise
 * was broken, with 2 on wrong usage.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { check: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const unknown = positionals.filter((name) => !(name in groups));
  if (unknown.length > 0 || (positionals.length > 0 && !values.check)) {
    process.stderr.write(`Usage: npm run faults [-- --check [${Object.keys(groups).join('|')}]…]\n`);
    process.exitCode = 2;
    return;
  }
  const run = values.check
    ? { clients, lastsMilliseconds: lastsMilliseconds.check, pauseMilliseconds: 20 }
    : { clients, lastsMilliseconds: lastsMilliseconds.table };
  const rows = await measure(positionals.length > 0 ? positionals : Object.keys(groups), run);
  if (!values.check) await writeFaultTable(rows);
  process.exitCode = rows.every(({ isKept }) => isKept) ? 0 : 1;
}

async function measure(names: readonly string[], run: RunSize): Promise<FaultRow[]> {
  const postgres = await startOwnPostgres();
  try {
    const oracle = await seedOracle(postgres.sql);
    const rows: FaultRow[] = [];
    for (const [name, { missing, measure }] of Object.entries(groups)) {
      if (!names.includes(name)) continue;
      if (missing !== undefined) process.stderr.write(`Left out: ${name}, because ${missing}\n`);
      else {
        startTimeBounds();
        rows.push(...(await measure(postgres, oracle, run)).map(print));
      }
    }
    return rows;
  } finally {
    await killServiceProcesses();
    await postgres.remove();
  }
}

function print(row: FaultRow): FaultRow {
  process.stdout.write(`${row.isKept ? 'kept  ' : 'BROKEN'} ${row.fault}: ${row.measured}\n`);
  return row;
}

void main();
