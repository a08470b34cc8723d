/** A product as the database hands it out, in the names of the schema. */
export interface ProductRow {
  readonly id: string;
  readonly createdAt: string;
  readonly [member: string]: unknown;
}
