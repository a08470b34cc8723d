import { Worker } from 'node:worker_threads';

/** What ends a process that used up its processor time: the signal of such timers, which leaves no core. */
export const cpuTimeSignal = 'SIGVTALRM';

/** Ends this process when its work takes too much processor time. */
export interface CpuTimeLimit {
  begin(): void;
  end(): void;
}

const lookMilliseconds = 100;

/**
 * A thread that looks at the processor time of the whole process: its event loop has turns also while the main one has none. Time on the
 * wall would say nothing on a busy machine.
 */
export function limitCpuTime(maxMilliseconds: number): CpuTimeLimit {
  /** When the work began, in milliseconds of processor time; negative while there is none. */
  const begunAt = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT)).fill(-1);
  const watch = `
    const { begunAt, maxMilliseconds, signal } = require('node:worker_threads').workerData;
    setInterval(() => {
      const { user, system } = process.cpuUsage();
      if (begunAt[0] >= 0 && (user + system) / 1000 - begunAt[0] > maxMilliseconds) process.kill(process.pid, signal);
    }, ${lookMilliseconds});`;
  const workerData = { begunAt, maxMilliseconds, signal: cpuTimeSignal };
  new Worker(watch, { eval: true, execArgv: [], workerData }).unref();
  return {
    begin() {
      const { user, system } = process.cpuUsage();
      begunAt[0] = (user + system) / 1000;
    },
    end() {
      begunAt[0] = -1;
    },
  };
}
