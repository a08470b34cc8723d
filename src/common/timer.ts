import type { Cancellation } from './cancellation';

/** Timer, injected wherever something happens later, so that tests can control time. */
export interface Timer {
  /** Calls back once after that many milliseconds. @returns a function that cancels it. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
}

/** Timers that do not keep the process alive. */
export const systemTimer: Timer = {
  after(milliseconds, callback) {
    const handle = setTimeout(callback, milliseconds).unref();
    return () => clearTimeout(handle);
  },
};

/** Resolves after a time, or rejects with the reason of the cancellation as soon as there is one. */
export function wait(timer: Timer, milliseconds: number, cancellation: Cancellation): Promise<void> {
  if (cancellation.endReason !== undefined) return Promise.reject(cancellation.endReason);
  return new Promise((resolve, reject) => {
    const cancel = timer.after(milliseconds, () => {
      forget();
      resolve();
    });
    const forget = cancellation.onEnd((reason) => {
      cancel();
      reject(reason);
    });
  });
}
