import { existsSync, readFileSync, readdirSync } from 'node:fs';

/** CPU time of the machine, in ticks since it started. */
export interface MachineFigures {
  readonly total: number;
  readonly busy: number;
  /** For this process and all that it started: the service, its database, the attackers. */
  readonly ours: number;
}

export function readMachineFigures(): MachineFigures {
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softIrq = 0, stolen = 0] =
    readFileSync('/proc/stat', 'utf8').split('\n')[0]?.trim().split(/\s+/).slice(1).map(Number) ?? [];
  const busy = user + nice + system + irq + softIrq + stolen;
  return { total: busy + idle + wait, busy, ours: ticksOfTree(process.pid) };
}

/** By what factor programs that are not ours reduce the CPU time available to us; at least 1. */
export function slowdownByOthers(before: MachineFigures, after: MachineFigures): number {
  const spent = (read: (figures: MachineFigures) => number) => read(after) - read(before);
  const foreign = spent(({ busy }) => busy) - spent(({ ours }) => ours);
  const share = Math.min(
    0.95,
    Math.max(
      0,
      foreign /
        Math.max(
          1,
          spent(({ total }) => total),
        ),
    ),
  );
  return 1 / (1 - share);
}

/** Of a process and its descendants, including those that have ended. */
function ticksOfTree(root: number): number {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const columns = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ').map(Number) ?? [];
        return [
          { pid: Number(name), parent: columns[1], ticks: columns.slice(11, 15).reduce((sum, each) => sum + each, 0) },
        ];
      } catch {
        return []; // ended just now
      }
    });
  const own = new Set([root]);
  for (let size = 0; size < own.size;) {
    size = own.size;
    for (const { pid, parent } of processes) if (parent !== undefined && own.has(parent)) own.add(pid);
  }
  return processes.filter(({ pid }) => own.has(pid)).reduce((sum, { ticks }) => sum + ticks, 0);
}

/** Where the kernel does not report this (not Linux), the machine counts as ours alone. */
const isKnown = existsSync('/proc/stat');

/** A time limit of a test on a machine that other programs use as well. */
export class SharedTime {
  readonly #before = isKnown ? readMachineFigures() : undefined;

  /** The limit, adjusted to the CPU time that other programs left since this was created. In milliseconds. */
  allow(milliseconds: number): number {
    if (this.#before === undefined) return milliseconds;
    return Math.round(milliseconds * slowdownByOthers(this.#before, readMachineFigures()));
  }
}
