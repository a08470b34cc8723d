import { isAbsolute, relative, resolve } from 'node:path';
import { directoryOfCaller } from '../config';

/** A path as the one who typed it means it: npm runs a script in the project's directory, wherever it was called. */
export function toGivenPath(path: string): string {
  const directory = directoryOfCaller();
  if (directory === undefined || isAbsolute(path) || path === '-') return path;
  return relative(process.cwd(), resolve(directory, path));
}
