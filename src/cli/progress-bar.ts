import { Presets, SingleBar } from 'cli-progress';

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface ImportProgress {
  readonly bytesRead: number;
  readonly bytesTotal: number;
  readonly records: number;
}

export interface ProgressBar {
  readonly update: (progress: ImportProgress) => void;
  readonly stop: () => void;
}

/** A bar on stderr on a terminal; nothing for a pipe or a log. */
export function createProgressBar(interactive: boolean, action = 'importing'): ProgressBar {
  if (!interactive) return { update: () => undefined, stop: () => undefined };
  const bar = new SingleBar(
    {
      stream: process.stderr,
      format: `${action} {bar} {percentage}% · {records} records · {duration_formatted}`,
      hideCursor: true,
      clearOnComplete: true,
      // Its own handler would come too late, or be the only one and keep the process running.
      gracefulExit: false,
    },
    Presets.shades_classic,
  );
  let started = false;
  const stop = (): void => {
    for (const signal of stopSignals) process.off(signal, stopBySignal);
    bar.stop();
  };
  /** Shows the cursor again, and then ends the process as it would end without a bar. */
  const stopBySignal = (signal: NodeJS.Signals): void => {
    stop();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const start = (bytesTotal: number, records: number): void => {
    started = true;
    for (const signal of stopSignals) process.prependListener(signal, stopBySignal);
    bar.start(Math.max(bytesTotal, 1), 0, { records });
  };
  return {
    update({ bytesRead, bytesTotal, records }) {
      if (!started) start(bytesTotal, records);
      bar.update(bytesRead, { records });
    },
    stop,
  };
}
