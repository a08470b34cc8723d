import { toCountText } from './count-text';
import type { OperationLimit } from './operation-limit';

/** Fields of the operation itself run concurrently, each with its own statements. */
export const rootFieldLimit: OperationLimit = {
  name: 'root fields',
  basis: 'syntax',
  explainExcess: ({ shape }, { maxRootFields }) =>
    shape.rootFields > maxRootFields
      ? `The operation selects ${toCountText(shape.rootFields)} fields at its root; at most ${maxRootFields} are allowed.`
      : undefined,
};
