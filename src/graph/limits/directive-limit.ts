import { toCountText } from './count-text';
import type { OperationLimit } from './operation-limit';

/** Each directive is evaluated for each field that carries it, however often it is repeated. */
export const directiveLimit: OperationLimit = {
  name: 'directives',
  basis: 'syntax',
  explainExcess: ({ shape }, { maxDirectives }) =>
    shape.directives > maxDirectives
      ? `The operation has ${toCountText(shape.directives)} directives once its fragments are written out; at most ${maxDirectives} are allowed.`
      : undefined,
};
