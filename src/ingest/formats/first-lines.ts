import { hash } from 'node:crypto';
import type { Place } from '../import-error';

/** More objects of a CSV are remembered in no reasonable memory; snapshots have no such bound. */
export const maxObjectsOfCsv = 1_000_000;

/** Names longer than their digest are remembered by it. */
const longestName = 32;

/** Where the rows of each object of a CSV began: rows of one object must follow each other. */
export class FirstLines {
  readonly #lines = new Map<string, number>();

  /**
   * @returns the line where an object of this name began before
   * @throws ImportError when there are too many
   */
  note(name: string, place: Place): number | undefined {
    const key = name.length > longestName ? hash('sha256', name, 'base64url') : name;
    const earlier = this.#lines.get(key);
    if (earlier !== undefined) return earlier;
    if (this.#lines.size >= maxObjectsOfCsv) {
      throw place.fault(
        `expected at most ${maxObjectsOfCsv} objects in one CSV; split the file and name all parts in one import`,
      );
    }
    this.#lines.set(key, place.line);
    return undefined;
  }
}
