/** What an answer shows of a row, in the answer's order. */
export type Projection = readonly ProjectedColumn[];

export interface ProjectedColumn {
  /** What the answer calls it. */
  readonly name: string;
  /** Of the row; `__typename` is one too. */
  readonly member: string;
}

/** Whether every column that was looked for was found. */
export const isComplete = (columns: readonly (ProjectedColumn | undefined)[]): columns is Projection =>
  columns.every((column) => column !== undefined);

/** A row as JSON text, in the form that the answer shows: written by PostgreSQL, neither parsed nor resolved here. */
export interface RawRow {
  readonly json: string;
  /** An object that holds its position, as JSON too: of a whole page only the first and the last are ever looked at. */
  readonly at: string;
}

/** PostgreSQL cuts longer names of columns off. */
export const maximumNameLength = 63;
