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

/** Resolves after a time, or rejects with the signal's reason as soon as it is aborted. */
export function wait(timer: Timer, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      cancel();
      reject(toError(signal.reason));
    };
    const cancel = timer.after(milliseconds, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

const toError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
