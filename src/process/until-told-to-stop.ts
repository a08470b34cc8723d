import closeWithGrace from 'close-with-grace';
import type { Config } from '../config';
import type { Log } from '../log';
import type { StopSignal } from './stop-signals';
import { onStopSignals, stopSignals } from './stop-signals';

/** How long requests under way may still take once the process takes no more. */
export const drainMilliseconds = 10_000;

/** How long whoever sends requests gets to notice: a person at a terminal (SIGINT) sends none. */
export const noticeMilliseconds = ({ http }: Config, signal: string | undefined): number =>
  signal === 'SIGTERM' ? http.shutdownDelayMilliseconds : 0;

/**
 * What close-with-grace would answer besides: signals to stop, which are told apart from their echoes here, and the processor's, for what
 * the program itself did. Nothing written in JavaScript can answer those, and a process that tries goes on for ever instead of ending:
 * at its end, too, when its terminal is gone.
 */
const skippedSignals = [
  ...stopSignals,
  ...(['SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGABRT', 'SIGTRAP'] as const),
] as const;

interface StopOptions {
  readonly config: Config;
  readonly log: Log;
  /** Whether a signal stops the process. Unset: it does. */
  readonly mindsSignals?: boolean;
  /** Somebody insists: the process ends right after. */
  readonly onInsistence?: () => void;
  readonly stop: (signal: string | undefined) => Promise<void>;
}

/**
 * Stops, once, on a signal, an error that nobody caught, or when it is told to, and ends the process: with 0 unless an error was the
 * reason. A signal a second or more after the first, or twice the time, ends it at once with 1.
 */
export function stopWhenTold({ config, log, mindsSignals = true, onInsistence, stop }: StopOptions): {
  stopNow(): void;
  /** Minds no signal any more. */
  forget(): void;
} {
  let told: StopSignal | undefined;
  const { close, uninstall } = closeWithGrace(
    {
      delay: config.http.shutdownDelayMilliseconds + 2 * drainMilliseconds,
      logger: { error: (text: unknown) => log.error({ text }, 'stopping') },
      skip: [...skippedSignals],
    },
    async ({ err }) => {
      if (err !== undefined) log.fatal({ err }, 'an error nobody caught');
      else log.info({ signal: told }, 'stopping');
      await stop(told);
    },
  );
  const ignoreSignals = mindsSignals
    ? onStopSignals({
        onFirst(signal) {
          told = signal;
          void close();
        },
        onInsistence(signal) {
          log.error({ signal }, 'told to stop again: ending at once');
          onInsistence?.();
          process.exit(1);
        },
      })
    : () => undefined;
  return {
    stopNow: () => void close(),
    forget() {
      uninstall();
      ignoreSignals();
    },
  };
}
