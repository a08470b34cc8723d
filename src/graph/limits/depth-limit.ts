import type { OperationLimit } from './operation-limit';

/** Every level may be one more round trip to the database, or to another service. */
export const depthLimit: OperationLimit = {
  name: 'depth',
  basis: 'syntax',
  explainExcess: ({ shape }, { maxDepth }) =>
    shape.depth > maxDepth
      ? `The operation is ${shape.depth} fields deep; at most ${maxDepth} are allowed.`
      : undefined,
};
