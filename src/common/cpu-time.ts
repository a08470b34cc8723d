import { Worker } from 'node:worker_threads';

/** Ends a process that has used up its CPU time: the signal of CPU timers, which leaves no core dump. */
export const cpuTimeSignal = 'SIGVTALRM';

/** Ends this process when its work takes too much CPU time. */
interface CpuTimeLimit {
  begin(): void;
  end(): void;
}

const lookMilliseconds = 100;

/**
 * Starts a thread that measures the CPU time of the whole process: its event loop runs even while the main one is
 * blocked. Elapsed time would be meaningless on a busy machine.
 */
export function limitCpuTime(maxMilliseconds: number): CpuTimeLimit {
  /** When the work began, in milliseconds of CPU time; negative while there is none. */
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
