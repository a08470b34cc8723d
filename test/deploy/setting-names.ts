import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const source = readFileSync(join(__dirname, '../../src/config.ts'), 'utf8');

/** The names of all settings, as src/config.ts lists them; those that a router reads are in a second list too. */
export const settingNames: readonly string[] = [
  ...new Set([...source.matchAll(/^ {2}([A-Z][A-Z_]+): /gm)].map(([, name = '']) => name)),
];
