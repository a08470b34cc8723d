import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A file of a package that only nightly tests need (large/package.json).
 * @throws Error if it is missing, with what to do
 */
export function largePackage(name: string, path: string): string {
  const file = join(__dirname, 'large/node_modules', name, path);
  if (!existsSync(file)) throw new Error(`Expected ${file}: run \`npm ci --prefix test/clients/large\` first.`);
  return file;
}
