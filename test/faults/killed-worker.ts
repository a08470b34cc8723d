import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Load } from '../support/load';
import { startLoad } from '../support/load';
import type { Oracle } from '../support/oracle';
import type { ServiceProcess } from '../support/service-process';
import { startServiceProcess } from '../support/service-process';

export interface KilledWorker {
  readonly load: Load;
  readonly workersBefore: number;
  readonly workersAfter: number;
  readonly end: { code: number | null; signal: NodeJS.Signals | null };
  /** Workers that survived their primary. */
  readonly orphans: number;
}

/** `serve --workers 2` under load; one worker is killed and replaced. */
export async function runKilledWorker(
  databaseUrl: string,
  oracle: Oracle,
  clients: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<KilledWorker> {
  const service = await startServiceProcess(databaseUrl, { workers: '2', ...settings });
  const before = workersOf(service.child);
  const writing = oracle.startWriting();
  const load = startLoad(service.origin, oracle.questions, clients, 10);
  await delay(300);
  process.kill(before[0] as number, 'SIGKILL');
  while (workersOf(service.child).filter((pid) => !before.includes(pid)).length === 0) await delay(20);
  await delay(300);
  await load.stop();
  await writing.stop();
  const after = workersOf(service.child);
  const end = await service.end();
  return {
    load,
    workersBefore: before.length,
    workersAfter: after.length,
    end,
    orphans: workersOf(service.child).length,
  };
}

/** The processes behind `serve --workers`. */
export const workersOf = (child: Pick<ServiceProcess['child'], 'pid'>): number[] =>
  execFileSync('ps', ['-e', '-o', 'pid=,ppid=,args='])
    .toString()
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s.*process\/worker\.js/.exec(line))
    .filter((found) => found !== null && Number(found[2]) === child.pid)
    .map((found) => Number(found?.[1]));
