import { toCountText } from './count-text';
import type { OperationLimit } from './operation-limit';

/** Fragments that use each other twice double with every line of the document: 30 of them are a billion fields. */
export const fieldLimit: OperationLimit = {
  name: 'fields',
  basis: 'syntax',
  explainExcess: ({ shape }, { maxFields }) =>
    shape.fields > maxFields
      ? `The operation selects ${toCountText(shape.fields)} fields once its fragments are written out; at most ${maxFields} are allowed.`
      : undefined,
};
