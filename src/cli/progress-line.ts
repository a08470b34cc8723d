import { rewriteLine } from '../common/terminal';

/** Progress of a command: `done` of `total` bytes or rows. */
interface Progress {
  readonly done: number;
  readonly total: number;
  readonly records: number;
}

interface ProgressLine {
  readonly update: (progress: Progress) => void;
  readonly clear: () => void;
}

const pauseMilliseconds = 100;

/**
 * A line on stderr on a terminal; nothing for a pipe or a log. The cursor stays visible, so that a signal needs no
 * handler.
 */
export function createProgressLine(interactive: boolean, action = 'importing'): ProgressLine {
  if (!interactive) return { update: () => undefined, clear: () => undefined };
  const startedAt = performance.now();
  let writtenAt = -Infinity;
  return {
    update({ done, total, records }) {
      const now = performance.now();
      if (now - writtenAt < pauseMilliseconds) return;
      writtenAt = now;
      const percentage = Math.floor((100 * done) / Math.max(total, 1));
      rewriteLine(`${action} ${percentage}% · records: ${records} · ${Math.floor((now - startedAt) / 1000)} s`);
    },
    clear: () => rewriteLine(''),
  };
}
