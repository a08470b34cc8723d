import { setTimeout as delay } from 'node:timers/promises';

interface KeepRunningOptions {
  readonly isRunning: () => Promise<boolean>;
  /** Restarts the server. @throws Error with a message that says what to do. */
  readonly restart: () => Promise<void>;
  readonly log: (line: string) => void;
}

const lookEveryMilliseconds = 500;
const longestPauseMilliseconds = 30_000;

/** Monitors a server until the returned function is called, and restarts it whenever it exits, for any reason. */
export function keepRunning({ isRunning, restart, log }: KeepRunningOptions): () => void {
  const ended = new AbortController();
  const look = async (): Promise<void> => {
    let pause = lookEveryMilliseconds;
    for (;;) {
      await delay(pause, undefined, { signal: ended.signal, ref: false });
      if (await isRunning()) continue;
      ended.signal.throwIfAborted();
      try {
        log('the embedded PostgreSQL exited unexpectedly and is restarted');
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
