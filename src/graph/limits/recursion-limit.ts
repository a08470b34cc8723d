import type { OperationLimit } from './operation-limit';

/**
 * A product has variants, a variant has a product: such circles are unbounded, and each round multiplies. The same
 * applies to introspection, whose types have fields that have types.
 */
export const recursionLimit: OperationLimit = {
  name: 'recursion',
  basis: 'document',
  explainExcess: ({ recursion }, { maxRecursion }) =>
    recursion.count > maxRecursion
      ? `The operation selects ${recursion.field} ${recursion.count} times within itself; at most ${maxRecursion} are allowed.`
      : undefined,
};
