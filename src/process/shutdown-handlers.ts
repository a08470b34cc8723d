import type { Config } from '../config/config';
import type { App } from '../http/server/open-server';
import type { Log } from '../observability/log';

/** The signals with which people and supervisors end a process. */
const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;
export type StopSignal = (typeof stopSignals)[number];

/**
 * A signal that follows the first within this time counts as a repetition of it. npm forwards the signals it receives,
 * so a signal for the whole process group, such as Ctrl-C at a terminal, reaches the service twice. Killing npm
 * outright makes it end the service with a second signal (scripts/build.mjs).
 */
const echoMilliseconds = 1_000;

interface StopSignalHandlers {
  readonly onFirst: (signal: StopSignal) => void;
  /** A later signal: the sender does not want to wait. */
  readonly onSecondSignal: (signal: StopSignal) => void;
}

/** @returns a function that removes the handlers */
export function onStopSignals({ onFirst, onSecondSignal }: StopSignalHandlers): () => void {
  let firstAt: number | undefined;
  const take = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    if (firstAt === undefined) {
      firstAt = now;
      onFirst(signal as StopSignal);
    } else if (now - firstAt >= echoMilliseconds) {
      onSecondSignal(signal as StopSignal);
    }
  };
  for (const signal of stopSignals) process.on(signal, take);
  return () => {
    for (const signal of stopSignals) process.off(signal, take);
  };
}

/** How long requests in flight may still take once the process accepts no more. */
export const drainMilliseconds = 10_000;

interface StopOptions {
  readonly config: Config;
  readonly log: Log;
  /** Called on a later signal, right before the process exits. */
  readonly onSecondSignal?: () => void;
  readonly stop: (signal: string | undefined) => Promise<void>;
}

/**
 * Stops the process once: on a signal or an uncaught error. Exits with 0 unless an error was the reason. A second
 * signal, or a shutdown that times out, exits immediately with 1.
 */
export function installShutdownHandlers({ config, log, onSecondSignal, stop }: StopOptions): {
  removeHandlers(): void;
} {
  let receivedSignal: StopSignal | undefined;
  let stopping: Promise<void> | undefined;
  const run = async (error: unknown): Promise<void> => {
    setTimeout(() => exit(new Error('shutdown timed out')), config.shutdownDelayMs + 2 * drainMilliseconds);
    if (error === undefined) log.info({ signal: receivedSignal }, 'stopping');
    else log.fatal({ err: error }, 'uncaught error');
    await stop(receivedSignal);
    process.exit(error === undefined ? 0 : 1);
  };
  const exit = (err: unknown): never => {
    log.error({ err }, 'stopping');
    process.exit(1);
  };
  const close = (): void => void (stopping ??= run(undefined).catch(exit));
  const onError = (error: unknown): void => {
    if (stopping !== undefined) exit(error);
    stopping = run(error ?? new Error('an empty value was thrown')).catch(exit);
  };
  const errors = ['uncaughtException', 'unhandledRejection'] as const;
  for (const event of errors) process.on(event, onError);
  process.on('beforeExit', close);
  const ignoreSignals = onStopSignals({
    onFirst(signal) {
      receivedSignal = signal;
      close();
    },
    onSecondSignal(signal) {
      log.error({ signal }, 'second signal to stop: exiting immediately');
      onSecondSignal?.();
      process.exit(1);
    },
  });
  return {
    removeHandlers() {
      for (const event of errors) process.off(event, onError);
      process.off('beforeExit', close);
      ignoreSignals();
    },
  };
}

/**
 * Closes the application on a signal, then what it uses. Before that, proxies have SHUTDOWN_DELAY_MS to notice; a
 * person at a terminal (SIGINT) sends no requests and needs no delay.
 */
export function closeOnSignal(
  app: App,
  { config, log, close }: Pick<StopOptions, 'config' | 'log'> & { readonly close: () => Promise<void> },
): void {
  installShutdownHandlers({
    config,
    log,
    async stop(signal) {
      await app.close(drainMilliseconds, signal === 'SIGTERM' ? config.shutdownDelayMs : 0);
      await close();
    },
  });
}
