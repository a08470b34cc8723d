/** A variant as the database hands it out, in the names of the schema. */
export interface VariantRow {
  readonly id: string;
  readonly productId: string;
  readonly [member: string]: unknown;
}
