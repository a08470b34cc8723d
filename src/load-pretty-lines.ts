import { createRequire } from 'node:module';
import type * as PrettyLines from './pretty-lines';

/** Loads what writes lines for people, when there are people and not before: a deployed process has no use for it. */
export const loadPrettyLines = (): typeof PrettyLines =>
  createRequire(__filename)('./pretty-lines') as typeof PrettyLines;
