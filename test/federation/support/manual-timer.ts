import type { Timer } from '../../../src/common/timer';

/** A timer that the test controls. */
export interface ManualTimer extends Timer {
  /** The requested delays that have not elapsed, in milliseconds. */
  readonly pending: () => readonly number[];
  /** Ends all waits of exactly that many milliseconds. */
  readonly fire: (milliseconds: number) => void;
}

export function createManualTimer(): ManualTimer {
  const waits = new Set<{ readonly milliseconds: number; readonly callback: () => void }>();
  return {
    after(milliseconds, callback) {
      const entry = { milliseconds, callback };
      waits.add(entry);
      return () => waits.delete(entry);
    },
    pending: () => [...waits].map(({ milliseconds }) => milliseconds),
    fire(milliseconds) {
      for (const entry of [...waits]) {
        if (entry.milliseconds !== milliseconds) continue;
        waits.delete(entry);
        entry.callback();
      }
    },
  };
}
