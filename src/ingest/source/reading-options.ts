import type { DecimalSign } from '../values/number-style';

/** The user's settings for files that do not specify them themselves. */
export interface ReadingOptions {
  /** One character. */
  readonly delimiter?: string | undefined;
  /** As TextDecoder names it. */
  readonly encoding?: string | undefined;
  readonly decimal?: DecimalSign | undefined;
  /** A sheet's name, or its number from 1. */
  readonly sheet?: string | undefined;
  /** Whether an empty file is valid, and contains no objects. */
  readonly mayBeEmpty?: boolean;
  /** The meaning of the file name `-`. */
  readonly standardInput?: () => AsyncIterable<Buffer>;
}
