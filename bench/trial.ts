/** The result of one thing that a trial tried. */
export interface TrialRow {
  readonly what: string;
  /** The load on the service meanwhile. */
  readonly load?: string;
  /** What is promised, or the test that guards it; absent if something is only measured. */
  readonly promise?: string;
  readonly measured: string;
  /** False if the promise was broken. */
  readonly isKept: boolean;
  /** Lines for the terminal only. */
  readonly details?: readonly string[];
}

export interface TrialOptions {
  /** The parts to run: all, unless some are named. */
  readonly parts: readonly string[];
  /** Enough to see whether promises hold; too little for a table. */
  readonly isShort: boolean;
  readonly seed: number;
  /** For trials that can take any time. */
  readonly minutes: number | undefined;
}

/** A program that takes minutes, writes what it measured, and is run by `npm run trial -- NAME`. */
export interface Trial {
  readonly what: string;
  readonly parts: readonly string[];
  /** Missing a target does not fail the run, because the machine may be slow. */
  readonly isBenchmark?: boolean;
  /** @returns results in addition to the rows */
  run(options: TrialOptions, report: (row: TrialRow) => void): Promise<object | void>;
}
