import { systemTimer } from '../../../src/common/timer';

/** Waits that the test controls. */
export interface ManualTimer {
  /** The requested delays that have not elapsed, in milliseconds. */
  readonly pending: () => readonly number[];
  /** Ends all waits of exactly that many milliseconds. */
  readonly fire: (milliseconds: number) => void;
}

/** Takes the place of the system's timer until the mocks are restored. */
export function createManualTimer(): ManualTimer {
  const waits = new Set<{ readonly milliseconds: number; readonly callback: () => void }>();
  jest.spyOn(systemTimer, 'after').mockImplementation((milliseconds, callback) => {
    const entry = { milliseconds, callback };
    waits.add(entry);
    return () => waits.delete(entry);
  });
  return {
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
