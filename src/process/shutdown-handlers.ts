import closeWithGrace from 'close-with-grace';
import type { Config } from '../config/config';
import type { Log } from '../observability/log';
import type { StopSignal } from './stop-signals';
import { onStopSignals, stopSignals } from './stop-signals';

/** How long requests in flight may still take once the process accepts no more. */
export const drainMilliseconds = 10_000;

/**
 * The drain delay: how long proxies have to notice the shutdown. A person at a terminal (SIGINT) sends no requests and
 * needs none.
 */
export const drainDelayMilliseconds = ({ shutdownDelayMs }: Config, signal: string | undefined): number =>
  signal === 'SIGTERM' ? shutdownDelayMs : 0;

/**
 * What close-with-grace would handle as well: stop signals, whose repetitions are recognized here, and the processor's
 * signals for faults of the program itself. JavaScript cannot handle those, and a process that tries never ends. The
 * same happens at exit when the process has lost its terminal.
 */
const skippedSignals = [
  ...stopSignals,
  ...(['SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGABRT', 'SIGTRAP'] as const),
] as const;

interface StopOptions {
  readonly config: Config;
  readonly log: Log;
  /** Whether a signal stops the process. Default: true. */
  readonly handlesSignals?: boolean;
  /** Called on a later signal, right before the process exits. */
  readonly onSecondSignal?: () => void;
  readonly stop: (signal: string | undefined) => Promise<void>;
}

/**
 * Stops the process once: on a signal, an uncaught error, or a call of `stopNow`. Exits with 0 unless an error was the
 * reason. A signal a second or more after the first, or twice the time, exits immediately with 1.
 */
export function installShutdownHandlers({ config, log, handlesSignals = true, onSecondSignal, stop }: StopOptions): {
  stopNow(): void;
  /** Removes the signal handlers. */
  removeHandlers(): void;
} {
  let receivedSignal: StopSignal | undefined;
  const { close, uninstall } = closeWithGrace(
    {
      delay: config.shutdownDelayMs + 2 * drainMilliseconds,
      logger: { error: (text: unknown) => log.error({ text }, 'stopping') },
      skip: [...skippedSignals],
    },
    async ({ err }) => {
      if (err !== undefined) log.fatal({ err }, 'uncaught error');
      else log.info({ signal: receivedSignal }, 'stopping');
      await stop(receivedSignal);
    },
  );
  const ignoreSignals = handlesSignals
    ? onStopSignals({
        onFirst(signal) {
          receivedSignal = signal;
          void close();
        },
        onSecondSignal(signal) {
          log.error({ signal }, 'second signal to stop: exiting immediately');
          onSecondSignal?.();
          process.exit(1);
        },
      })
    : () => undefined;
  return {
    stopNow: () => void close(),
    removeHandlers() {
      uninstall();
      ignoreSignals();
    },
  };
}
