import type { DecimalSign } from '../values/number-style';

/** What the user says of the files, where they do not say it themselves. */
export interface ReadingOptions {
  /** One character. */
  readonly delimiter?: string | undefined;
  /** As encodingNamed() spells it. */
  readonly encoding?: string | undefined;
  readonly decimal?: DecimalSign | undefined;
  /** A sheet's name, or its number from 1. */
  readonly sheet?: string | undefined;
  /** What the file name `-` stands for. */
  readonly standardInput?: () => AsyncIterable<Buffer>;
}
