import type { LimitOptions } from './limit-options';
import type { OperationCost } from './operation-cost';
import type { OperationShape } from './operation-shape';

/** One operation with the variables of one request. */
export interface LimitedOperation {
  readonly shape: OperationShape;
  readonly cost: OperationCost;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** One thing an operation may not have too much of. */
export interface OperationLimit {
  readonly name: string;
  /** `document`: the same for every request, so it is checked once. `request`: depends on the variables. */
  readonly basis: 'document' | 'request';
  /** What to tell the client: how much it asked for, how much is allowed, and where. Undefined when all is well. */
  readonly explainExcess: (operation: LimitedOperation, allowed: LimitOptions) => string | undefined;
}
