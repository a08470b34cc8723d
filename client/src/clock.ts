/** The client's source of time. Tests pass their own. */
export interface Clock {
  /** Milliseconds since an arbitrary fixed time. */
  now(): number;
  /** Resolves after a delay. Rejects with the signal's reason if aborted first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The longest delay of a timer, in milliseconds. Longer ones would become 1 ms. */
export const longestDelay = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    withSignal(signal, (resolve) => {
      const timer = setTimeout(resolve, Math.min(milliseconds, longestDelay));
      return () => clearTimeout(timer);
    }),
};

/**
 * A promise that rejects when the signal is aborted, and always removes its listener.
 * @param start starts the work, and returns a function that cancels it
 */
export async function withSignal<Value>(
  signal: AbortSignal | undefined,
  start: (resolve: (value: Value) => void, reject: (reason: unknown) => void) => () => void,
): Promise<Value> {
  signal?.throwIfAborted();
  let abort: () => void;
  return new Promise<Value>((resolve, reject) => {
    const stop = start(resolve, reject);
    abort = () => {
      reject(signal?.reason as Error);
      stop();
    };
    signal?.addEventListener('abort', abort);
    // By the work itself.
    if (signal?.aborted === true) abort();
  }).finally(() => signal?.removeEventListener('abort', abort));
}
