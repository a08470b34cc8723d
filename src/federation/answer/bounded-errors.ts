import { GraphQLError } from 'graphql';

const limit = 1000;

/**
 * Errors of one operation, in the order in which they were found. Each costs some 30 µs to create and to send, and a
 * subgraph may cause one at every value, so only the first are kept. The others are counted.
 */
export class BoundedErrors {
  readonly #errors: GraphQLError[] = [];
  #omitted = 0;

  /** @param make not called for an error that is only counted. */
  add(make: () => GraphQLError): void {
    if (this.#errors.length < limit) this.#errors.push(make());
    else this.#omitted += 1;
  }

  /** Counts errors that are not kept. */
  omit(count: number): void {
    this.#omitted += count;
  }

  /** Whether errors are missing, so that a null without an error may have had one. */
  get isCut(): boolean {
    return this.#omitted > 0;
  }

  get kept(): readonly GraphQLError[] {
    return this.#errors;
  }

  /** The errors for the answer: those kept, and one that counts the others. */
  toList(): readonly GraphQLError[] {
    if (this.#omitted === 0) return this.#errors;
    const message = `More errors, not listed: ${this.#omitted}.`;
    return [...this.#errors, new GraphQLError(message, { extensions: { code: 'DOWNSTREAM_SERVICE_ERROR' } })];
  }
}
