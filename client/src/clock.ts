/** The client's source of time. Tests pass their own. */
export interface Clock {
  /** Milliseconds since an arbitrary fixed time. */
  now(): number;
  /** Resolves after a delay. Rejects with the signal's reason if aborted first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    withSignal(signal, (resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      return () => clearTimeout(timer);
    }),
};

/**
 * A promise that rejects when the signal is aborted, and always removes its listener.
 * @param start starts the work, and returns a function that cancels it
 */
export function withSignal<Value>(
  signal: AbortSignal | undefined,
  start: (resolve: (value: Value) => void, reject: (reason: unknown) => void) => () => void,
): Promise<Value> {
  return new Promise<Value>((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error);
      return;
    }
    const settle =
      <Argument>(then: (argument: Argument) => void) =>
      (argument: Argument): void => {
        signal?.removeEventListener('abort', abort);
        then(argument);
      };
    const stop = start(settle(resolve), settle(reject));
    const abort = (): void => {
      signal?.removeEventListener('abort', abort);
      stop();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', abort);
  });
}
