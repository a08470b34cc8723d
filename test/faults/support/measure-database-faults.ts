import type { DatabaseFault } from './database-faults';
import { databaseFaults, networkFaults } from './database-faults';
import type { FaultRow } from './fault-table';
import type { Oracle } from './oracle';
import type { OwnPostgres } from './own-postgres';
import { runDatabaseFault, writeEveryMilliseconds } from './run-database-fault';
import { startServiceProcess } from './service-process';

/** What clients are promised of every answer: the issue's own numbers. */
export const answerBoundMilliseconds = 1_500;
const recoveryBoundMilliseconds = 2_000;

/** What happens to the server. */
export const measureDatabaseFaults = (postgres: OwnPostgres, oracle: Oracle, clients: number): Promise<FaultRow[]> =>
  measure(databaseFaults, postgres.serviceUrl, postgres, oracle, clients);

/** What happens on the way to it. */
export const measureNetworkFaults = (postgres: OwnPostgres, oracle: Oracle, clients: number): Promise<FaultRow[]> =>
  measure(networkFaults, postgres.wiredUrl, postgres, oracle, clients);

async function measure(
  faults: readonly DatabaseFault[],
  url: string,
  postgres: OwnPostgres,
  oracle: Oracle,
  clients: number,
): Promise<FaultRow[]> {
  const service = await startServiceProcess(url);
  const rows: FaultRow[] = [];
  for (const fault of faults) {
    const result = await runDatabaseFault(fault, { service, postgres, oracle, clients, lastsMilliseconds: 4_000 });
    const { answered, refused, slowestMilliseconds, recoveryMilliseconds, problems } = result;
    rows.push({
      fault: fault.name,
      load: `${clients} clients, ${result.requests} requests, ${1_000 / writeEveryMilliseconds} writes a second`,
      promise: 'the right answer or 503, within 1.5 s; nothing but answers 2 s after the end',
      measured: [
        `${answered} right, ${refused} × 503`,
        ...problems,
        `slowest ${slowestMilliseconds} ms, last 503 ${recoveryMilliseconds} ms after the end`,
      ].join('; '),
      isKept:
        problems.length === 0 &&
        slowestMilliseconds <= answerBoundMilliseconds &&
        recoveryMilliseconds <= recoveryBoundMilliseconds,
    });
  }
  await service.end();
  return rows;
}
