/** One thing that was tried, and what came of it: the form in which every trial reports. */
export interface TrialRow {
  readonly what: string;
  /** What the service was given to do meanwhile. */
  readonly load?: string;
  /** What is promised, or the test that guards it; absent where a figure is only measured. */
  readonly promise?: string;
  readonly measured: string;
  /** False if the promise was broken. */
  readonly isKept: boolean;
  /** For the terminal alone, a line each. */
  readonly details?: readonly string[];
}

export interface TrialOptions {
  /** What of the trial runs: all of its parts unless some are named. */
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
  /** A figure beyond its target does not fail a run: the machine may be slow. */
  readonly isBenchmark?: boolean;
  /** @returns what the results have beside the rows */
  run(options: TrialOptions, report: (row: TrialRow) => void): Promise<object | void>;
}
