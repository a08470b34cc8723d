import { toCountText } from './count-text';
import type { OperationLimit } from './operation-limit';

/** Aliases turn one field into many: the usual way around a rate limit that counts requests. */
export const aliasLimit: OperationLimit = {
  name: 'aliases',
  basis: 'syntax',
  explainExcess: ({ shape }, { maxAliases }) =>
    shape.aliases > maxAliases
      ? `The operation has ${toCountText(shape.aliases)} aliases once its fragments are written out; at most ${maxAliases} are allowed.`
      : undefined,
};
