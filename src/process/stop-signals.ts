/** What people and supervisors send to end a process. */
export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;
export type StopSignal = (typeof stopSignals)[number];

/**
 * Signals so soon after the first mean the same. npm hands on what it gets, so a signal for its whole process group, as Ctrl-C at a
 * terminal is, reaches the service twice; and who ends npm outright ends the service by a second signal of its own (build.mjs).
 */
const echoMilliseconds = 1_000;

interface StopSignalHandlers {
  readonly onFirst: (signal: StopSignal) => void;
  /** One that came later than an echo would: whoever sent it does not want to wait. */
  readonly onInsistence: (signal: StopSignal) => void;
}

/** @returns A function that minds no signal any more. */
export function onStopSignals({ onFirst, onInsistence }: StopSignalHandlers): () => void {
  let firstAt: number | undefined;
  const take = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    if (firstAt === undefined) {
      firstAt = now;
      onFirst(signal as StopSignal);
    } else if (now - firstAt >= echoMilliseconds) {
      onInsistence(signal as StopSignal);
    }
  };
  for (const signal of stopSignals) process.on(signal, take);
  return () => {
    for (const signal of stopSignals) process.off(signal, take);
  };
}
