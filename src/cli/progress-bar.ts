import { Presets, SingleBar } from 'cli-progress';

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
    },
    Presets.shades_classic,
  );
  let started = false;
  return {
    update({ bytesRead, bytesTotal, records }) {
      if (!started) bar.start(Math.max(bytesTotal, 1), 0, { records });
      started = true;
      bar.update(bytesRead, { records });
    },
    stop: () => bar.stop(),
  };
}
