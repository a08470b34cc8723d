import closeWithGrace from 'close-with-grace';
import type { Config } from '../config';
import type { Log } from '../log';

/** How long requests under way may still take once the process takes no more. */
export const drainMilliseconds = 10_000;

/** How long whoever sends requests gets to notice: a person at a terminal (SIGINT) sends none. */
export const noticeMilliseconds = ({ http }: Config, signal: string | undefined): number =>
  signal === 'SIGTERM' ? http.shutdownDelayMilliseconds : 0;

/**
 * The processor's, for what the program itself did. Nothing written in JavaScript can answer them, and a process that tries goes on for
 * ever instead of ending: at its end, too, when its terminal is gone.
 */
const signalsOfFaults = ['SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGABRT', 'SIGTRAP'] as const;

interface StopOptions {
  readonly config: Config;
  readonly log: Log;
  /** Signals that this process is not to mind. */
  readonly skip?: readonly ('SIGTERM' | 'SIGINT' | 'SIGHUP')[];
  /** The second signal came: the process ends right after. */
  readonly onSecondSignal?: () => void;
  readonly stop: (signal: string | undefined) => Promise<void>;
}

/**
 * Stops, once, on a signal, an error that nobody caught, or when it is told to, and ends the process: with 0 unless an error was the
 * reason. The second signal, or twice the time, ends it at once with 1.
 */
export function stopWhenTold({ config, log, skip = [], onSecondSignal, stop }: StopOptions): {
  stopNow(): void;
  /** Minds no signal any more. */
  forget(): void;
} {
  const { close, uninstall } = closeWithGrace(
    {
      delay: config.http.shutdownDelayMilliseconds + 2 * drainMilliseconds,
      logger: { error: (text: unknown) => log.error({ text }, 'stopping') },
      skip: [...skip, ...signalsOfFaults],
      ...(onSecondSignal === undefined ? {} : { onSecondSignal }),
    },
    async ({ signal, err }) => {
      if (err !== undefined) log.fatal({ err }, 'an error nobody caught');
      else log.info({ signal }, 'stopping');
      await stop(signal);
    },
  );
  return { stopNow: () => void close(), forget: uninstall };
}
