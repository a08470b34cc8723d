import { existsSync } from 'node:fs';

/** The directory in which the process was started: `catalog` may change to another. */
export const startDirectory = process.cwd();

/**
 * The directory in which a person typed `npm run catalog`: npm first changes to that of package.json. Returns undefined
 * when npm did not start this very command.
 */
export function findCallerDirectory(): string | undefined {
  const { npm_lifecycle_event: script, INIT_CWD: directory } = process.env;
  return script === 'catalog' && directory !== undefined && existsSync(directory) ? directory : undefined;
}
