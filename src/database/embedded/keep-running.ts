import { setTimeout as delay } from 'node:timers/promises';

interface KeepRunningOptions {
  readonly isRunning: () => Promise<boolean>;
  /** Starts it again. @throws Error with a sentence that says what to do. */
  readonly restart: () => Promise<void>;
  readonly log: (line: string) => void;
}

const lookEveryMilliseconds = 500;
const longestPauseMilliseconds = 30_000;

/** Looks after a server until the returned function is called: one that ended, whatever ended it, is started again. */
export function keepRunning({ isRunning, restart, log }: KeepRunningOptions): () => void {
  const ended = new AbortController();
  const look = async (): Promise<void> => {
    let pause = lookEveryMilliseconds;
    for (;;) {
      await delay(pause, undefined, { signal: ended.signal, ref: false });
      if (await isRunning()) continue;
      ended.signal.throwIfAborted();
      try {
        log('the embedded PostgreSQL ended unexpectedly: it is started again');
        await restart();
        pause = lookEveryMilliseconds;
      } catch (error) {
        pause = Math.min(pause * 2, longestPauseMilliseconds);
        log(`${(error as Error).message} The next attempt is in ${pause / 1000} s.`);
      }
    }
  };
  look().catch(() => undefined);
  return () => ended.abort();
}
