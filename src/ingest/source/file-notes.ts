import { getOrMake } from '../../common/once';

/** The wording of each kind of warning: singular, plural, consequence. */
const kinds = {
  padded: ['row has fewer cells than the header', 'rows have fewer cells than the header', 'missing cells were read as blank'],
  extra: ['row has more cells than the header', 'rows have more cells than the header', 'blank cells after the last column were ignored; values are in the wrong columns if a cell is missing quotes'],
  date: ['cell holds a date or time', 'cells hold dates or times', 'read as text such as 2023-12-31 22:36:00'],
  total: ['row looks like a total', 'rows look like totals', 'imported like any other row'],
  repeated: ['row repeats an earlier row of its object', 'rows repeat an earlier row of their object', 'its items are counted again; delete it if it is a copy'],
  header: ['row repeats the header', 'rows repeat the header', 'skipped'],
  variants: ['product has more or fewer variants than its variant_count', 'products have more or fewer variants than their variant_count', 'if you did not add or delete variants, export both files again'],
  hidden: ['row is hidden in the sheet', 'rows are hidden in the sheet', 'imported like any other row; to exclude hidden rows, copy the visible ones to a new sheet'],
  error: ['cell holds an error such as #N/A', 'cells hold an error such as #N/A', 'read as text'],
} as const; // prettier-ignore

export type NoteKind = keyof typeof kinds;

/** Warnings about one file: each kind once, with its count and first occurrence. */
export class FileNotes {
  readonly #seen = new Map<NoteKind, { count: number; readonly location: string }>();

  add(kind: NoteKind, line: number, column?: string): void {
    const location = `on line ${line}${column === undefined ? '' : `, column ${column}`}`;
    getOrMake(this.#seen, kind, () => ({ count: 0, location })).count += 1;
  }

  get warnings(): readonly string[] {
    return [...this.#seen].map(([kind, { count, location }]) => {
      const [one, several, consequence] = kinds[kind];
      return `${count} ${count === 1 ? `${one},` : `${several}, the first`} ${location}: ${consequence}`;
    });
  }
}
