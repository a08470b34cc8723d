import { readFileSync, writeFileSync } from 'node:fs';
import { findValue, parseMetrics } from '../../test/observability/parse-metrics';
import { exchange } from '../../test/support/rest-client';
import type { ServiceProcess } from '../../test/support/service-process';

/** Memory and CPU time of a process. Linux only, because it is read from /proc. */
export interface Figures {
  /** Megabytes. */
  readonly resident: number;
  /** The maximum since `resetPeak`, in megabytes. */
  readonly peak: number;
  /** Seconds of CPU time since the process started. */
  readonly cpuSeconds: number;
}

/** Figures that only the process itself knows. Reading them starts a new interval. */
export interface InnerFigures {
  /** Megabytes. */
  readonly heap: number;
  /** The longest time during which nothing else ran, in milliseconds, since the last reading. */
  readonly longestBlock: number;
}

/** How many connections the service at this port has from an address, whichever process uses them. */
export function countConnections(port: number, address: string): number {
  const hex = (number: number, digits: number) => number.toString(16).toUpperCase().padStart(digits, '0');
  const local = `:${hex(port, 4)}`;
  // The bytes of the address are in the byte order of the machine, which is the reverse on all that Node runs on.
  const remote = address.split('.').map(Number).reverse().map((byte) => hex(byte, 2)).join(''); // prettier-ignore
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, mine = '', theirs = '', state]) => mine.endsWith(local) && theirs.startsWith(remote) && state === established,
    ).length;
}
const established = '01';

/** @returns undefined if the process has ended */
export function readFigures(pid: number): Figures | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const megabytes = (name: string) =>
      Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024);
    // The name of the program, in parentheses, may contain blanks; columns follow it.
    const columns = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const ticks = Number(columns[11]) + Number(columns[12]);
    const peak = megabytes('VmHWM');
    if (Number.isNaN(peak)) return undefined;
    return {
      resident: megabytes('VmRSS'),
      peak,
      cpuSeconds: ticks / 100,
    };
  } catch {
    return undefined;
  }
}

/** Makes the current memory of the process its peak (proc(5), clear_refs). */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Without permission, the peak is that of the whole process, which makes the bound stricter.
  }
}

/** @throws Error if the process does not answer */
export async function readInnerFigures({ origin }: ServiceProcess): Promise<InnerFigures> {
  const samples = parseMetrics((await exchange(origin, '/metrics', {})).text);
  return {
    heap: Math.round(findValue(samples, 'nodejs_heap_size_used_bytes') / 1024 / 1024),
    longestBlock: Math.round(findValue(samples, 'nodejs_eventloop_lag_max_seconds') * 1000),
  };
}
