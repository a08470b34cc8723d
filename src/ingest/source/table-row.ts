import type { SourceLocation } from '../values/import-error';
import type { NumberStyle } from '../values/number-style';

export interface CsvRow {
  /** The line where the row starts in its file, counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** How the file writes numbers. */
  readonly numbers: NumberStyle;
}

/** A row as it is in its file. */
export type RawRow = Omit<CsvRow, 'numbers'>;

/** A description of 1 MiB takes 2 MiB if all of it is quotes. All cells of a row are held at once. */
export const maxRowBytes = 4 * 1024 * 1024;

export const tooLong = (location: SourceLocation, advice = ''): Error =>
  location.fault(`the row that starts here is longer than ${maxRowBytes} bytes${advice}`);
