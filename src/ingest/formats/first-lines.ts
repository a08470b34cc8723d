import { hash } from 'node:crypto';
import type { SourceLocation } from '../values/import-error';

/** Remembering more objects of a CSV would take too much memory; snapshots have no such limit. */
export const maxObjectsOfCsv = 1_000_000;

/** Names longer than their digest are stored as the digest. */
const longestName = 32;

const keyOf = (name: string): string => (name.length > longestName ? hash('sha256', name, 'base64url') : name);

/** The line where the rows of each object of a CSV began: rows of one object must be consecutive. */
export class FirstLines {
  readonly #lines = new Map<string, number>();

  lineOf(name: string): number | undefined {
    return this.#lines.get(keyOf(name));
  }

  /**
   * @returns the earlier line where an object of this name began
   * @throws ImportError when there are too many
   */
  note(name: string, location: SourceLocation): number | undefined {
    const key = keyOf(name);
    const earlier = this.#lines.get(key);
    if (earlier !== undefined) return earlier;
    if (this.#lines.size >= maxObjectsOfCsv) {
      throw location.fault(
        `expected at most ${maxObjectsOfCsv} objects in one CSV; split the file and name all parts in one import`,
      );
    }
    this.#lines.set(key, location.line);
    return undefined;
  }
}
