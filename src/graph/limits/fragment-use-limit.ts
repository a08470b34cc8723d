import { toCountText } from './count-text';
import type { OperationLimit } from './operation-limit';

/** Spreads and inline fragments cost validation more than fields do, and can be nested without any field in between. */
export const fragmentUseLimit: OperationLimit = {
  name: 'fragment uses',
  basis: 'syntax',
  explainExcess: ({ shape }, { maxFragmentUses }) =>
    shape.fragmentUses > maxFragmentUses
      ? `The operation uses ${toCountText(shape.fragmentUses)} fragments once they are written out; at most ${maxFragmentUses} are allowed.`
      : undefined,
};
