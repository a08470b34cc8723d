import type { Timer } from '../../common/timer';

/** A task that is repeated. */
export interface RepeatingTask {
  /** Resolves when the current run, if any, has ended. No further run follows. */
  stop(): Promise<void>;
}

/** Runs a task that many milliseconds after its last run ended: runs never overlap, however slow they are. */
export function repeat(task: () => Promise<void>, intervalMilliseconds: number, timer: Timer): RepeatingTask {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  let cancel = schedule();
  function schedule() {
    return timer.after(intervalMilliseconds, () => {
      running = task().finally(() => {
        if (!isStopped) cancel = schedule();
      });
    });
  }
  return {
    stop() {
      isStopped = true;
      cancel();
      return running;
    },
  };
}
