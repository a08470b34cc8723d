import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The rows of a table of cases beside a test. */
export const readRows = <Row>(directory: string, name: string): readonly Row[] =>
  JSON.parse(readFileSync(join(directory, name), 'utf8')) as Row[];
