import type { OperationLimit } from './operation-limit';

/** Every level may be a round trip to the database, or one more to another service. */
export const depthLimit: OperationLimit = {
  name: 'depth',
  basis: 'syntax',
  explainExcess: ({ shape }, { maxDepth }) =>
    shape.depth > maxDepth
      ? `The operation is ${shape.depth} fields deep; at most ${maxDepth} are allowed.`
      : undefined,
};
