import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The names of all settings, as src/config.ts lists them. */
export const settingNames: readonly string[] = [
  ...readFileSync(join(__dirname, '../../src/config.ts'), 'utf8').matchAll(/^ {2}([A-Z][A-Z_]+): /gm),
].map(([, name = '']) => name);
