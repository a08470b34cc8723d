import { redisMissing } from '../rate-limit/redis-server';
import { replicationMissing } from '../support/native-replication';
import type { DatabaseFault } from './support/database-faults';
import { databaseFaults, networkFaults } from './support/database-faults';
import type { FaultRow } from './support/fault-table';
import { writeFaultTable } from './support/fault-table';
import { measureProcessFaults } from './support/measure-process-faults';
import { measureReplicaFaults } from './support/measure-replica-faults';
import { measureRedisFaults } from './support/measure-redis-faults';
import type { Oracle } from './support/oracle';
import { seedOracle } from './support/oracle';
import type { OwnPostgres } from './support/own-postgres';
import { startOwnPostgres } from './support/own-postgres';
import { runDatabaseFault } from './support/run-database-fault';
import { startServiceProcess } from './support/service-process';

const clients = 16;

/** `npm run faults`: breaks things under load and writes what came of it into docs/operations.md. Ends with 1 when a promise broke. */
async function main(): Promise<void> {
  const postgres = await startOwnPostgres();
  const oracle = await seedOracle(postgres.sql);
  const rows = [
    ...(await measureDatabaseFaults(databaseFaults, postgres.serviceUrl, postgres, oracle)),
    ...(await measureDatabaseFaults(networkFaults, postgres.wiredUrl, postgres, oracle)),
    ...(await measureProcessFaults(postgres.serviceUrl, oracle, clients)),
    ...(replicationMissing === undefined ? await measureReplicaFaults(clients) : []),
    ...(redisMissing === undefined ? await measureRedisFaults(postgres) : []),
  ];
  if (redisMissing !== undefined) process.stderr.write(`Redis is left out: ${redisMissing}\n`);
  if (replicationMissing !== undefined) process.stderr.write(`Replicas are left out: ${replicationMissing}\n`);
  await postgres.remove();
  await writeFaultTable(rows);
  for (const { fault, measured, isKept } of rows)
    process.stdout.write(`${isKept ? 'kept  ' : 'BROKEN'} ${fault}: ${measured}\n`);
  process.exitCode = rows.every(({ isKept }) => isKept) ? 0 : 1;
}

async function measureDatabaseFaults(
  faults: readonly DatabaseFault[],
  url: string,
  postgres: OwnPostgres,
  oracle: Oracle,
): Promise<FaultRow[]> {
  const service = await startServiceProcess(url);
  const rows: FaultRow[] = [];
  for (const fault of faults) {
    const result = await runDatabaseFault(fault, {
      origin: service.origin,
      postgres,
      oracle,
      clients,
      lastsMilliseconds: 4_000,
    });
    const { answered, refused, slowestMilliseconds, recoveryMilliseconds, problems } = result;
    rows.push({
      fault: fault.name,
      load: `${clients} clients, ${result.requests} requests`,
      promise: 'the right answer or 503, within 1.5 s; answers within 2 s of the end',
      measured: [
        `${answered} right, ${refused} × 503`,
        ...problems,
        `slowest ${slowestMilliseconds} ms, back after ${recoveryMilliseconds} ms`,
      ].join('; '),
      isKept: problems.length === 0 && slowestMilliseconds <= 1_500 && recoveryMilliseconds <= 2_000,
    });
  }
  await service.end();
  return rows;
}

void main();
