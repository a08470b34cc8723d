import type { DatabaseFault } from './database-faults';
import { databaseFaults, networkFaults } from './database-faults';
import type { TrialRow } from '../trial';
import type { Oracle } from '../support/oracle';
import { toOutageRow } from './outage-row';
import type { OwnPostgres } from '../support/own-postgres';
import { runDatabaseFault } from './run-database-fault';
import { startServiceProcess } from '../../support/service-process';

/** The amount of load. */
export interface RunSize {
  readonly clients: number;
  /** Of a fault. */
  readonly lastsMilliseconds: number;
  /** Of each client between its requests. */
  readonly pauseMilliseconds?: number;
}

/** Faults of the server. */
export const measureDatabaseFaults = (postgres: OwnPostgres, oracle: Oracle, run: RunSize): Promise<TrialRow[]> =>
  measure(databaseFaults, postgres.serviceUrl, postgres, oracle, run);

/** Faults of the network to it. */
export const measureNetworkFaults = (postgres: OwnPostgres, oracle: Oracle, run: RunSize): Promise<TrialRow[]> =>
  measure(networkFaults, postgres.wiredUrl, postgres, oracle, run);

async function measure(
  faults: readonly DatabaseFault[],
  url: string,
  postgres: OwnPostgres,
  oracle: Oracle,
  run: RunSize,
): Promise<TrialRow[]> {
  const service = await startServiceProcess(url);
  const rows: TrialRow[] = [];
  for (const fault of faults) {
    const result = await runDatabaseFault(fault, { service, postgres, oracle, ...run });
    rows.push(
      toOutageRow(result, {
        what: fault.name,
        clients: run.clients,
        promise: 'the right answer or 503, within 1.5 s; nothing but answers 2 s after the end',
        since: 'the end',
        slowestNote: ` (${result.slowestLoggedMilliseconds} ms by the service's log)`,
      }),
    );
  }
  await service.end();
  return rows;
}
