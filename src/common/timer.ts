import type { Cancellation } from './cancellation';

/** Timers that do not keep the process alive. An object, so that tests can replace its function. */
export const systemTimer = {
  /** Calls back once after that many milliseconds. @returns a function that cancels it. */
  after(milliseconds: number, callback: () => void): () => void {
    const handle = setTimeout(callback, milliseconds).unref();
    return () => clearTimeout(handle);
  },
};

/** Resolves after a time, or rejects with the reason of the cancellation as soon as there is one. */
export function wait(milliseconds: number, cancellation: Cancellation): Promise<void> {
  if (cancellation.endReason !== undefined) return Promise.reject(cancellation.endReason);
  return new Promise((resolve, reject) => {
    const cancel = systemTimer.after(milliseconds, () => {
      forget();
      resolve();
    });
    const forget = cancellation.onEnd((reason) => {
      cancel();
      reject(reason);
    });
  });
}

/**
 * Resolves with the answer, or rejects if it does not arrive in time. After the timer it waits one more turn of the
 * event loop: if this process itself was blocked for so long, the answer is already in the socket and is read in that
 * turn.
 */
export function answerWithin<T>(answer: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const giveUp = () => reject(new Error(`no response within ${milliseconds} ms`));
    const cancel = systemTimer.after(milliseconds, () => setImmediate(giveUp));
    void answer.then(resolve, reject).finally(cancel);
  });
}
