import type { Redaction } from './projection';

/** A row as the requested JSON texts. */
export type OutputRow = readonly string[];

/** Parsing this many takes some milliseconds; a page has 201 at most. */
const rowsPerTurn = 250;
/** Parsing this much takes a millisecond or two. Rows of usual size have less in a page. */
const charactersPerTurn = 256 * 1024;
/** Searching a character for e-mail addresses takes as much CPU time as parsing so many: 16 kB of them have a turn. */
const searchFactor = 16;

/**
 * The index behind the rows from `start` that are converted in one turn of the event loop.
 * @param redaction What is applied to them; rows that it has to inspect count more.
 */
export function endOfTurn(rows: readonly OutputRow[], start: number, redaction?: Redaction): number {
  let characters = 0;
  let end = start;
  while (end < rows.length && end - start < rowsPerTurn && characters < charactersPerTurn) {
    for (const output of rows[end] as OutputRow)
      characters += output.length * (redaction?.isNeeded(output) === true ? searchFactor : 1);
    end += 1;
  }
  return end;
}
