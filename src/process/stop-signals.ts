/** The signals with which people and supervisors end a process. */
export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;
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

/** @returns A function that removes the handlers. */
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
