/** The fields of a row in an answer, in the answer's order. */
export type Projection = readonly ProjectedColumn[];

export interface ProjectedColumn {
  /** Its name in the answer. */
  readonly name: string;
  /** A column of the row, or `__typename`. */
  readonly member: string;
}

/** Whether every requested column was found. */
export const isComplete = (columns: readonly (ProjectedColumn | undefined)[]): columns is Projection =>
  columns.every((column) => column !== undefined);

/** A row as JSON text, in the form of the answer: written by PostgreSQL, neither parsed nor resolved here. */
export interface RawRow {
  readonly json: string;
  /** An object that contains its position, also as JSON: only the first and the last of a page are ever parsed. */
  readonly at: string;
}

/** PostgreSQL truncates longer column names. */
export const maximumNameLength = 63;
