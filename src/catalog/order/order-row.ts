/** An order as the database hands it out, in the names of the schema. */
export interface OrderRow {
  readonly id: string;
  readonly createdAt: string | null;
  readonly customerName: string | null;
  readonly tags: string[];
  readonly [member: string]: unknown;
}
