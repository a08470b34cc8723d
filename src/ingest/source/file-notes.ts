/** What is worth a warning, counted by kind. */
const kinds = {
  padded: (count: number, place: string) =>
    `${rows(count)} end before the header does, ${place}: missing cells were read as blank`,
  date: (count: number, place: string) => `${cells(count)} hold dates, ${place}: they were read as YYYY-MM-DD`,
  longNumber: (count: number, place: string) =>
    `${cells(count)} hold numbers of more than 15 digits, ${place}: spreadsheets make zeros of the digits behind; format such columns as text`,
  error: (count: number, place: string) =>
    `${cells(count)} hold an error such as #N/A, ${place}: they were read as that text`,
} as const;

const rows = (count: number): string => (count === 1 ? '1 row' : `${count} rows`);
const cells = (count: number): string => (count === 1 ? '1 cell' : `${count} cells`);

export type NoteKind = keyof typeof kinds;

/** Warnings about one file: each kind once, with how often and where first. */
export class FileNotes {
  readonly #seen = new Map<NoteKind, { count: number; readonly place: string }>();

  add(kind: NoteKind, line: number, column?: string): void {
    const seen = this.#seen.get(kind);
    if (seen) seen.count += 1;
    else this.#seen.set(kind, { count: 1, place: `the first in line ${line}${column === undefined ? '' : `, column ${column}`}` });
  }

  get warnings(): readonly string[] {
    return [...this.#seen].map(([kind, { count, place }]) => kinds[kind](count, place));
  }
}
