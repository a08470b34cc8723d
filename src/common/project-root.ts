import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

function findProjectRoot(directory: string): string {
  if (existsSync(join(directory, 'package.json'))) return directory;
  const parent = dirname(directory);
  if (parent === directory) throw new Error('package.json was not found in any folder above this file');
  return findProjectRoot(parent);
}

/** The folder of package.json, both from the sources and from dist/: documents and schemas are read from there. */
export const projectRoot = findProjectRoot(__dirname);

/** The version of the service. */
export const readVersion = (): string =>
  (JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string }).version;
