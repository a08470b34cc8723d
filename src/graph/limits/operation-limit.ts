import type { OperationShape } from './document-shape';
import type { LimitOptions } from './limit-options';
import type { OperationCost } from './operation-cost';
import type { Recursion } from './operation-recursion';

/** One operation with the variables of one request. */
export interface LimitedOperation {
  readonly shape: OperationShape;
  readonly recursion: Recursion;
  readonly cost: OperationCost;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** One limit of an operation. */
export interface OperationLimit {
  readonly name: string;
  /**
   * `syntax`: needs only the shape, and is checked before the document is validated. `document`: needs the schema too.
   * Both are the same for every request, so they are checked once. `request`: depends on the variables.
   */
  readonly basis: 'syntax' | 'document' | 'request';
  /**
   * The text for the client: how much it requested, how much is allowed, and where. Undefined if it is within the
   * limit.
   */
  readonly explainExcess: (operation: LimitedOperation, allowed: LimitOptions) => string | undefined;
}
