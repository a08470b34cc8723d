/** Bounds on one answer of a subgraph. */
export interface AnswerLimits {
  /** Decompressed. */
  readonly maxBytes: number;
  /** JSON values, as a JsonMeter counts them. */
  readonly maxValues: number;
  /** Nesting of lists and objects. */
  readonly maxDepth: number;
}

/** A page of 200 products with ten reviews of five fields each has 13,000 values in 300 kB. */
export const defaultAnswerLimits: AnswerLimits = { maxBytes: 4 * 1024 * 1024, maxValues: 100_000, maxDepth: 100 };

/** Bounds on all answers of one operation together. */
export const operationLimits = { maxBytes: 8 * 1024 * 1024, maxValues: 200_000 } as const;

/** Tracks what the subgraphs may still answer within one operation. */
export class AnswerBudget {
  #bytes: number;
  #values: number;

  constructor({ maxBytes, maxValues }: Pick<AnswerLimits, 'maxBytes' | 'maxValues'> = operationLimits) {
    this.#bytes = maxBytes;
    this.#values = maxValues;
  }

  /** @returns false when that exceeds the remainder. */
  take(bytes: number, values: number): boolean {
    this.#bytes -= bytes;
    this.#values -= values;
    return this.#bytes >= 0 && this.#values >= 0;
  }
}

/** The budget of the operation or operations that an answer is for. */
export type TakesFromBudget = Pick<AnswerBudget, 'take'>;
