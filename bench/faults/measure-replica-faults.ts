import { migrate } from '../../src/database/migrate';
import { findValue, parseMetrics } from '../../test/observability/parse-metrics';
import type { OwnServer } from '../../test/support/own-server';
import { startReplication } from '../../test/support/native-replication';
import { exchange } from '../../test/support/rest-client';
import { openSqlPool } from '../../test/support/sql-pool';
import type { Sql } from '../../test/support/test-database';
import type { TrialRow } from '../trial';
import type { RunSize } from './outage-row';
import { answerBoundMilliseconds, isWithin } from '../../test/support/time-bounds';
import { seedOracle } from '../../test/support/oracle';
import { asServiceLogin, createServiceLogin } from '../../test/support/own-postgres';
import { runFault } from '../../test/faults/run-database-fault';
import { startServiceProcess } from '../../test/support/service-process';
import { writeEveryMilliseconds } from '../../test/support/versions';

const faultsOf = (standby: OwnServer, onStandby: Sql) => [
  { name: 'replica without a fault', begin: () => undefined, end: () => undefined },
  {
    name: 'replica falls behind (replay paused)',
    begin: () => onStandby('SELECT pg_wal_replay_pause()'),
    end: () => onStandby('SELECT pg_wal_replay_resume()'),
  },
  {
    name: 'replica paused (SIGSTOP)',
    begin: () => standby.signalAll('SIGSTOP'),
    end: () => standby.signalAll('SIGCONT'),
  },
  { name: 'replica killed', begin: () => standby.stop(), end: () => standby.start() },
];

/** One replica that follows by streaming, and every fault of it, under load and while shops are written. */
export async function measureReplicaFaults(run: RunSize): Promise<TrialRow[]> {
  const { primary, standby, remove } = await startReplication();
  const [onPrimary, onStandby] = [openSqlPool(primary.url, 2), openSqlPool(standby.url, 2)] as const;
  await migrate(primary.url);
  const oracle = await seedOracle(onPrimary.sql);
  const service = await startServiceProcess(await createServiceLogin(primary.url), {
    DATABASE_REPLICA_URLS: asServiceLogin(standby.url),
  });
  const countAnswered = async () =>
    findValue(parseMetrics((await exchange(service.origin, '/metrics', {})).text), 'database_replica_reads_total', {
      replica: '0',
      outcome: 'answered',
    });
  const rows: TrialRow[] = [];
  for (const fault of faultsOf(standby, onStandby.sql)) {
    const before = await countAnswered();
    const result = await runFault({ ...fault, isOutage: false }, { service, oracle, ...run });
    const { requests, answered, refused, slowestMilliseconds, problems } = result;
    const fromReplica = (await countAnswered()) - before;
    rows.push({
      what: fault.name,
      load: `${run.clients} clients, ${requests} requests, ${1_000 / writeEveryMilliseconds} writes a second`,
      promise: 'the right response to every request, never a stale one, within 1.5 s',
      measured: [
        `${answered} right, ${refused} × 503`,
        ...problems,
        `${fromReplica} reads served by the replica, slowest ${slowestMilliseconds} ms`,
      ].join('; '),
      isKept: problems.length === 0 && refused === 0 && isWithin(slowestMilliseconds, answerBoundMilliseconds),
    });
  }
  await service.end();
  await Promise.all([onPrimary.end(), onStandby.end()]);
  await standby.stop();
  await primary.stop();
  remove();
  return rows;
}
