/** A collection as the database hands it out, in the names of the schema. */
export interface CollectionRow {
  readonly id: string;
  readonly createdAt: string | null;
  readonly [member: string]: unknown;
}
