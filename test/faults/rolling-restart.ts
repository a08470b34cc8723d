import type { BalancerOptions } from './balancer';
import { startBalancer } from './balancer';
import type { Load } from '../support/load';
import { startLoad } from '../support/load';
import type { Oracle } from '../support/oracle';
import { startServiceProcess } from '../support/service-process';

export interface RollingRestart {
  readonly load: Load;
  /** The exit codes of the two processes that were replaced. */
  readonly ends: readonly { code: number | null; signal: NodeJS.Signals | null }[];
}

/**
 * Two processes behind a balancer that does not retry, each replaced by a new one and stopped by SIGTERM, under load.
 */
export async function runRollingRestart(
  databaseUrl: string,
  oracle: Oracle,
  clients: number,
  options: BalancerOptions,
  settings: Readonly<Record<string, string>> = {},
): Promise<RollingRestart> {
  const balancer = await startBalancer(options);
  // Load balancers take a while to notice.
  settings = { SHUTDOWN_DELAY_MS: '1000', ...settings };
  const started = [await startServiceProcess(databaseUrl, settings), await startServiceProcess(databaseUrl, settings)];
  const admit = async () => {
    balancer.setBackends(started.map(({ port }) => port));
    for (const { port } of started) await balancer.waitUntilReady(port);
  };
  await admit();
  const writing = oracle.startWriting();
  const load = startLoad(balancer.origin, oracle.questions, clients, 10);
  const ends: RollingRestart['ends'][number][] = [];
  for (let turn = 0; turn < 2; turn++) {
    started.push(await startServiceProcess(databaseUrl, settings));
    await admit();
    const [old] = started.splice(0, 1);
    if (old !== undefined) ends.push(await old.end());
  }
  await load.stop();
  await writing.stop();
  await Promise.all(started.map((service) => service.end()));
  balancer.close();
  return { load, ends };
}
