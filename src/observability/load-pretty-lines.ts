import { createRequire } from 'node:module';
import type * as PrettyLines from './pretty-lines';

/** Loads the formatter of pretty log lines only when it is needed: a deployed process does not use it. */
export const loadPrettyLines = (): typeof PrettyLines =>
  createRequire(__filename)('./pretty-lines') as typeof PrettyLines;
