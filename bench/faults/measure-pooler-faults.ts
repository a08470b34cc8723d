import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pooler } from '../../test/support/pgbouncer';
import { startPooler } from '../../test/support/pgbouncer';
import type { TrialRow } from '../trial';
import type { RunSize } from './outage-row';
import type { Oracle } from '../../test/support/oracle';
import type { OwnPostgres } from '../../test/support/own-postgres';
import { serviceRole } from '../../test/support/own-postgres';
import { runStatements } from '../../test/support/run-statements';
import { toOutageRow } from './outage-row';
import { runFault } from '../../test/faults/run-database-fault';
import { startServiceProcess } from '../../test/support/service-process';

const settings = readFileSync(join(__dirname, '../../docs/deploy/pooler-settings.sql'), 'utf8');

/** The pooler in front of the database is killed and restarted, under load and while shops are written. */
export async function measurePoolerFaults(
  { url, serviceUrl }: OwnPostgres,
  oracle: Oracle,
  run: RunSize,
): Promise<TrialRow[]> {
  await runStatements(url, settings.replaceAll(':"login"', serviceRole));
  let pooler: Pooler = await startPooler(serviceUrl);
  const { port } = new URL(pooler.url);
  const service = await startServiceProcess(`${pooler.url}?pgbouncer=true`);
  const result = await runFault(
    {
      name: 'pooler',
      isOutage: true,
      begin: () => pooler.stop(),
      async end() {
        pooler = await startPooler(serviceUrl, { listen_port: port });
      },
    },
    { service, oracle, ...run },
  );
  await service.end();
  await pooler.stop();
  await runStatements(url, `ALTER ROLE ${serviceRole} RESET ALL`);
  return [
    toOutageRow(result, {
      what: 'PgBouncer killed and restarted',
      clients: run.clients,
      promise: 'the right response or 503, within 1.5 s; no 503 from 2 s after the restart',
      since: 'the restart',
    }),
  ];
}
