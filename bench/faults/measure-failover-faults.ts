import { migrate } from '../../src/database/migrate';
import { startReplication } from '../../test/support/native-replication';
import type { SqlPool } from '../../test/support/sql-pool';
import { openSqlPool } from '../../test/support/sql-pool';
import type { Sql } from '../../test/support/test-database';
import type { TrialRow } from '../trial';
import type { RunSize } from './outage-row';
import { seedOracle } from '../../test/support/oracle';
import { asServiceLogin, createServiceLogin } from '../../test/support/own-postgres';
import { toOutageRow } from './outage-row';
import { runFault } from '../../test/faults/run-database-fault';
import { startServiceProcess } from '../../test/support/service-process';

/**
 * The primary is killed and its standby promoted, under load and while shops are written. The service knows both hosts.
 */
export async function measureFailoverFaults(run: RunSize): Promise<TrialRow[]> {
  const { primary, standby, remove } = await startReplication();
  const pools = [primary, standby].map(({ url }) => openSqlPool(url, 2)) as [SqlPool, SqlPool];
  const [onPrimary, onStandby] = pools;
  let current = onPrimary;
  const sql: Sql = (text, values) => current.sql(text, values);

  await migrate(primary.url);
  const oracle = await seedOracle(sql);
  const serviceUrl = new URL(await createServiceLogin(primary.url));
  // A commit counts once the standby has it: what a failover may lose is the operator's choice, and is not measured
  // here.
  await sql("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await sql('SELECT pg_reload_conf()');
  const hosts = [serviceUrl.host, new URL(asServiceLogin(standby.url)).host].join(',');
  const service = await startServiceProcess(
    `${serviceUrl.href.replace(serviceUrl.host, hosts)}?target_session_attrs=primary`,
  );
  const result = await runFault(
    {
      name: 'failover',
      isOutage: true,
      begin: () => primary.stop(),
      async end() {
        await onStandby.sql('SELECT pg_promote()');
        current = onStandby;
      },
    },
    { service, oracle, ...run },
  );
  await service.end();
  await Promise.all(pools.map((pool) => pool.end()));
  await standby.stop();
  remove();
  return [
    toOutageRow(result, {
      what: 'failover: primary killed, standby promoted',
      clients: run.clients,
      promise: 'the right response or 503, within 1.5 s, without a restart; no 503 from 2 s after the promotion',
      since: 'the promotion',
    }),
  ];
}
